import type { GitEngine, OpenOptions, RepositoryFacts, WorktreeHost } from '@cleveragents/git-ports';

/** Git without a git binary. */
export class IsomorphicEngine implements GitEngine {
  readonly name = 'isomorphic';

  async inspect(directory: string): Promise<RepositoryFacts | null> {
    throw new Error(`not written yet ${directory}`);
  }

  async open(directory: string, options: OpenOptions = {}): Promise<WorktreeHost> {
    throw new Error(`not written yet ${directory} ${String(options)}`);
  }
}
