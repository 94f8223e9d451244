import { SandboxPathRewriter } from '@cleveragents/mcp-domain';
import type { Fields, PathRewritingDriver, ProjectNames } from '../driver.ts';

/** The rules alone. */
export class RulesDriver implements PathRewritingDriver {
  readonly name = 'rules';
  #rewriter: SandboxPathRewriter | undefined;

  start({ host, sandbox }: ProjectNames): Promise<void> {
    this.#rewriter = new SandboxPathRewriter({ hostRoot: host, sandboxRoot: sandbox });
    return Promise.resolve();
  }

  call(toolArguments: Fields): Promise<Fields> {
    return Promise.resolve(this.#started().rewriteArguments(toolArguments));
  }

  answer(structuredContent: Fields): Promise<Fields> {
    return Promise.resolve(this.#started().rewriteResult({ structuredContent }).structuredContent);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  #started(): SandboxPathRewriter {
    if (this.#rewriter === undefined) throw new Error('The driver was not started');
    return this.#rewriter;
  }
}
