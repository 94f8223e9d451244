import {
  type GitEngine,
  GitError,
  type OpenOptions,
  type RepositoryFacts,
  type WorktreeHost,
} from '@cleveragents/git-ports';
import type { Environment } from './environment.ts';
import { GitConfig } from './git-config.ts';
import { inspectedHead } from './inspected-head.ts';
import { IsomorphicWorktreeHost } from './isomorphic-worktree-host.ts';
import { inspectRepository, readOperationInProgress } from './preflight.ts';
import { RefStore } from './ref-store.ts';
import { openRepository } from './repository.ts';
import { findRepository, type RepositoryLayout } from './repository-layout.ts';

export interface IsomorphicEngineOptions {
  /** Where settings, identity and home folder come from. Default: `process.env`. */
  readonly environment?: Environment | undefined;
}

/** Git without a git binary. */
export class IsomorphicEngine implements GitEngine {
  readonly name = 'isomorphic';
  readonly #environment: Environment;

  constructor({ environment = process.env }: IsomorphicEngineOptions = {}) {
    this.#environment = environment;
  }

  async inspect(directory: string): Promise<RepositoryFacts | null> {
    const layout = await findRepository(directory);
    return layout === null ? null : this.#factsOf(layout);
  }

  async #factsOf(layout: RepositoryLayout): Promise<RepositoryFacts> {
    const environment = this.#environment;
    const config = await GitConfig.load(layout, environment);
    const inspection = await inspectRepository(layout, config, environment);
    const refs = new RefStore({ layout, config, environment });
    return {
      ...layout,
      ...inspection,
      head: await inspectedHead(refs, layout, inspection.unsupported.length > 0),
      operationInProgress: await readOperationInProgress(layout.gitDirectory),
    };
  }

  async open(directory: string, { timeoutMs }: OpenOptions = {}): Promise<WorktreeHost> {
    const layout = await findRepository(directory);
    if (layout === null)
      throw new GitError('GIT_NOT_A_REPOSITORY', `${directory} lies in no git repository`, {
        hint: 'Go to a folder of a repository, or make one with `git init`.',
        data: { directory },
      });
    const facts = await this.#factsOf(layout);
    if (facts.unsupported.length > 0) throw unsupportedRepository(facts);
    const repository = await openRepository(layout, { environment: this.#environment, timeoutMs });
    return new IsomorphicWorktreeHost(repository, facts);
  }
}

function unsupportedRepository({ unsupported, commonDirectory }: RepositoryFacts): GitError {
  const [first] = unsupported;
  const details = unsupported.map(({ detail }) => detail).join('; ');
  return new GitError(
    'GIT_UNSUPPORTED_REPOSITORY',
    `this engine cannot work on ${commonDirectory}: ${details}`,
    {
      hint: first?.wayOut,
      data: { features: unsupported.map(({ feature }) => feature), unsupported },
    },
  );
}
