import { fileURLToPath } from 'node:url';
import { ChildProcessChannel } from '@cleveragents/mcp-adapter-sdk';
import { isCall } from '@cleveragents/mcp-domain';
import type { Fields, PathRewritingDriver, ProjectNames } from '../driver.ts';
import { Mailbox } from './mailbox.ts';

const CLI = fileURLToPath(new URL('../../../apps/cli/bundle/cleveragents.js', import.meta.url));

/** A tool that answers what it is told to, and says what it got: in `_meta`, which nobody rewrites. */
const TOOL = `
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, params } = JSON.parse(line);
  const result = { content: [], structuredContent: params._meta.answer, _meta: { got: params.arguments } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

interface Answer {
  readonly structuredContent: Fields;
  readonly _meta: { readonly got: Fields };
}

/** The command line, in front of a tool that is a process of its own. */
export class AppDriver implements PathRewritingDriver {
  readonly name = 'app';
  readonly #toAgent = new Mailbox();
  #app: ChildProcessChannel | undefined;
  #id = 0;

  async start({ host, sandbox }: ProjectNames): Promise<void> {
    const proxy = [CLI, 'mcp', 'proxy', '--map', `${host}=${sandbox}`, '--'];
    this.#app = new ChildProcessChannel({
      command: [process.execPath, ...proxy, process.execPath, '-e', TOOL],
      environment: { ...process.env, NODE_OPTIONS: '' },
    });
    await this.#app.start(this.#toAgent);
  }

  async call(toolArguments: Fields): Promise<Fields> {
    return (await this.#ask(toolArguments, {}))._meta.got;
  }

  async answer(structuredContent: Fields): Promise<Fields> {
    return (await this.#ask({}, structuredContent)).structuredContent;
  }

  async stop(): Promise<void> {
    await this.#app?.close();
  }

  async #ask(toolArguments: Fields, answer: Fields): Promise<Answer> {
    this.#id += 1;
    const params = { name: 'some_tool', arguments: toolArguments, _meta: { answer } };
    await this.#app?.send({ jsonrpc: '2.0', id: this.#id, method: 'tools/call', params });
    const message = await this.#toAgent.next();
    if (isCall(message)) throw new Error('The agent was called, not answered');
    return message.result as Answer;
  }
}
