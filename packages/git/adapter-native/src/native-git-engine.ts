import { type GitEngine, GitError, type OpenOptions, type RepositoryFacts } from '@cleveragents/git-ports';
import type { WorktreeHost } from '@cleveragents/git-ports';
import { Git } from './git.ts';
import { findGitFault } from './git-version.ts';
import { inspectForNative, type NativeInspection } from './inspection.ts';
import { NativeObjectStore } from './native-object-store.ts';
import type { NativeRepository } from './native-repository.ts';
import { NativeWorktreeHost } from './native-worktree-host.ts';
import {
  type Environment,
  findRepository,
  GitConfig,
  RefStore,
  type RepositoryLayout,
} from './shared-parts.ts';

export interface NativeGitEngineOptions {
  /** Where settings, identity and home folder come from; git itself gets it without what would mislead it. Default: `process.env`. */
  readonly environment?: Environment | undefined;
  /** Default: the `git` that PATH leads to. */
  readonly executable?: string | undefined;
  /**
   * `pre-commit` and `commit-msg` are asked before a sandbox's commit is recorded, and may refuse it; `post-commit` and
   * `post-merge` are told. Default false: no hook runs.
   */
  readonly runHooks?: boolean | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** The installed git (2.38 or later): filters, signatures, and every form of repository that it can read. */
export class NativeGitEngine implements GitEngine {
  readonly name = 'native';
  readonly #environment: Environment;
  readonly #git: Git;
  readonly #runsHooks: boolean;
  /** Asked once; a git that cannot be used may be installed meanwhile. */
  #isGitUsable = false;

  constructor({ environment = process.env, executable, runHooks = false }: NativeGitEngineOptions = {}) {
    this.#runsHooks = runHooks;
    this.#environment = environment;
    this.#git = new Git({ environment, ...(executable !== undefined && { executable }) });
  }

  async inspect(directory: string): Promise<RepositoryFacts | null> {
    const layout = await findRepository(directory);
    if (layout === null) return null;
    const config = await GitConfig.load(layout, this.#environment);
    return (await this.#inspect(layout, config)).facts;
  }

  async #inspect(layout: RepositoryLayout, config: GitConfig): Promise<NativeInspection> {
    const gitFault = this.#isGitUsable ? null : await findGitFault(this.#git);
    this.#isGitUsable = gitFault === null;
    return inspectForNative({ layout, config, environment: this.#environment, gitFault });
  }

  async open(directory: string, { timeoutMs = DEFAULT_TIMEOUT_MS }: OpenOptions = {}): Promise<WorktreeHost> {
    const layout = await findRepository(directory);
    if (layout === null)
      throw new GitError('GIT_NOT_A_REPOSITORY', `${directory} lies in no git repository`, {
        hint: 'Go to a folder of a repository, or make one with `git init`.',
        data: { directory },
      });
    const environment = this.#environment;
    const config = await GitConfig.load(layout, environment);
    const { facts, mergesByGit } = await this.#inspect(layout, config);
    if (facts.unsupported.length > 0) throw unsupportedRepository(facts);
    const git = this.#git;
    const signsCommits = config.boolean('commit.gpgsign', false);
    const repository: NativeRepository = {
      layout,
      config,
      environment,
      timeoutMs,
      git,
      mergesByGit,
      runsHooks: this.#runsHooks,
      refs: new RefStore({ layout, config, environment }),
      objects: new NativeObjectStore({ git, place: layout, timeoutMs, signsCommits }),
    };
    return new NativeWorktreeHost(repository, facts);
  }
}

function unsupportedRepository({ unsupported, commonDirectory }: RepositoryFacts): GitError {
  const [first] = unsupported;
  const details = unsupported.map(({ detail }) => detail).join('; ');
  return new GitError(
    'GIT_UNSUPPORTED_REPOSITORY',
    `the native engine cannot work on ${commonDirectory}: ${details}`,
    {
      hint: first?.wayOut,
      data: { features: unsupported.map(({ feature }) => feature), unsupported },
    },
  );
}
