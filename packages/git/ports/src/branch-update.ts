import type { Leaf, ObjectId } from '@cleveragents/git-domain';
import type { OperationInProgress } from './git-engine.ts';

export interface BranchUpdateRequest {
  /** Full name, `refs/heads/main`. */
  readonly branch: string;
  readonly from: ObjectId;
  readonly to: ObjectId;
  /** For the reflogs of the branch and of the HEAD that is on it. */
  readonly message: string;
}

/** What lies at one path that the update would change. Facts only: what they allow is decided above the engine. */
export interface PathFacts {
  readonly path: string;
  /** The change to make. */
  readonly before: Leaf | null;
  readonly after: Leaf | null;
  /** The index's entry: as `before`, as `after`, something else, none, or several stages of a conflict. */
  readonly index: 'before' | 'after' | 'other' | 'absent' | 'unmerged';
  /**
   * The work tree's file, by content and mode: as `before`, as `after`, something else, nothing, or a directory.
   * `inaccessible` when it cannot be read. Nothing counts as `before` where a sparse checkout leaves the path out.
   */
  readonly disk: 'before' | 'after' | 'other' | 'absent' | 'directory' | 'inaccessible';
  /** For a directory in the way: what it holds that the update does not itself delete, at most 20 paths. */
  readonly occupants: readonly string[];
  /** The repository's ignore rules match the path. */
  readonly ignored: boolean;
  /** The index marks the entry assume-unchanged or skip-worktree: git itself would not look. */
  readonly unwatched: boolean;
  /** A parent that is a link or a file, and stays one under this update; null when all parents are directories. */
  readonly blockedParent: { readonly path: string; readonly type: 'link' | 'file' } | null;
  /** Another path that would be the same file where case or Unicode form does not count; null when there is none. */
  readonly collidesWith: string | null;
}

/**
 * A branch about to move, with the files and the index of the work tree that has it checked out. Every lock is held
 * until one of the two methods returns; both may be called once.
 */
export interface BranchUpdate {
  /** The work tree that is on the branch; null when none is: then only the ref moves and `facts` is empty. */
  readonly workTree: string | null;
  /** What is going on in that work tree: a branch is not to be moved under a merge or a rebase. */
  readonly operationInProgress: OperationInProgress | null;
  /** One for each path that changes, sorted by path. */
  readonly facts: readonly PathFacts[];
  /**
   * Files first, then index, then ref. Each file that goes is set aside and its content checked before its successor
   * takes the place.
   * @throws GitError `GIT_TARGET_CHANGED` when a file is no longer as the facts say; everything was put back.
   */
  apply(): Promise<void>;
  abandon(): Promise<void>;
}
