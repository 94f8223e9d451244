import type { ObjectId } from '@cleveragents/git-domain';
import { token, type Token } from '@cleveragents/shared-kernel';
import type { WorktreeHost } from './worktree-host.ts';

export type EngineName = 'isomorphic' | 'native';

/** Where HEAD is. A branch without commits has `commit: null`; a detached HEAD has `branch: null`. */
export interface Head {
  /** Full name, `refs/heads/main`. */
  readonly branch: string | null;
  readonly commit: ObjectId | null;
}

export type OperationInProgress = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect' | 'am';

/** Something of a repository that an engine cannot do, or can do only in part. */
export interface UnsupportedFeature {
  /** Stable, kebab-case: `sha256`, `sparse-checkout`, `filter`, `commit-signing`, … */
  readonly feature: string;
  /** What was found where, for people. */
  readonly detail: string;
  /** What the user can do about it. */
  readonly wayOut: string;
}

/** What is known of a repository before anything is done with it. All paths absolute, links resolved. */
export interface RepositoryFacts {
  /** Root of the work tree that the inspected directory lies in; null when the repository is bare. */
  readonly workTree: string | null;
  /** The work tree's own git folder: `<main>/.git`, or `<common>/worktrees/<name>` for a linked worktree. */
  readonly gitDirectory: string;
  /** The folder that all work trees of the repository share. */
  readonly commonDirectory: string;
  readonly head: Head;
  readonly operationInProgress: OperationInProgress | null;
  /** Empty when the engine can work here. */
  readonly unsupported: readonly UnsupportedFeature[];
  /** What works, but not as some would expect: hooks that do not run, submodules that stay as they are. */
  readonly notes: readonly UnsupportedFeature[];
  /** Where several engines were at hand: which one takes this repository, and why, in one sentence for people. */
  readonly chosen?: { readonly engine: EngineName; readonly reason: string } | undefined;
}

export interface OpenOptions {
  /** Longest that one operation may take, waiting for locks included. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Where several engines are at hand: the one to take if it can work here, because it began what is gone on with. */
  readonly prefer?: EngineName | undefined;
}

/** One way to work on git repositories. Engines ignore inherited `GIT_DIR`, `GIT_INDEX_FILE` and their like. */
export interface GitEngine {
  /** `auto`: it finds the engine for each repository. */
  readonly name: EngineName | 'auto';
  /** Reads only. Null when `directory` lies in no repository (or does not exist). */
  inspect(directory: string): Promise<RepositoryFacts | null>;
  /**
   * @throws GitError `GIT_NOT_A_REPOSITORY`; `GIT_UNSUPPORTED_REPOSITORY` when `inspect` names unsupported features.
   */
  open(directory: string, options?: OpenOptions): Promise<WorktreeHost>;
}

export const GitEngineToken: Token<GitEngine> = token('@cleveragents/git-ports/GitEngine');
