import type { Commit, Leaf, ObjectId, Signature } from '@cleveragents/git-domain';
import type { BranchUpdate, BranchUpdateRequest } from './branch-update.ts';
import type { LeftBehind, LostWorktree } from './examination.ts';
import type { EngineName, Head, RepositoryFacts } from './git-engine.ts';
import type { LinkedWorktree } from './linked-worktree.ts';
import type { ObjectStore } from './object-store.ts';
import type { OperationOptions } from './operation-options.ts';

export interface Ref {
  /** Full name, `refs/heads/main`. */
  readonly name: string;
  readonly target: ObjectId;
}

export interface RefUpdate {
  readonly name: string;
  /** Where the ref must stand for the update to happen; null: it must not exist. */
  readonly expected: ObjectId | null;
  readonly target: ObjectId;
  /** For the reflog. */
  readonly message: string;
}

/** One of the repository's work trees, as `git worktree list` would say. */
export interface WorktreeEntry {
  readonly path: string;
  readonly gitDirectory: string;
  readonly head: Head;
  /** Why it is locked, `''` when no reason was given; null when it is not locked. */
  readonly locked: string | null;
  /** The folder is gone; the admin files are still there. */
  readonly missing: boolean;
  /** What {@link NewWorktree.owner} recorded; null when no sandbox of ours made it. */
  readonly owner: WorktreeOwner | null;
}

/** Whose linked worktree it is; kept in its admin folder. */
export interface WorktreeOwner {
  readonly planId: string;
  readonly sandboxId: string;
  /** Full name of the branch that was made with it; HEAD may be elsewhere by now. */
  readonly branch: string;
}

export interface NewWorktree {
  /** Absolute path of a folder that does not exist, below one that does. */
  readonly path: string;
  /** Full name of the branch to make: `refs/heads/cleveragents/plan-x`. */
  readonly branch: string;
  /** Where the branch begins. */
  readonly commit: ObjectId;
  readonly owner: Pick<WorktreeOwner, 'planId' | 'sandboxId'>;
}

export interface WorktreeRemoval {
  readonly path: string;
  /** The admin folder, which may be all that is left. */
  readonly gitDirectory: string;
  /** The branch to delete with it, and where it must stand; null keeps every branch. */
  readonly branch: { readonly name: string; readonly expected: ObjectId } | null;
}

export interface WorktreeRemovalResult {
  readonly worktreeRemoved: boolean;
  readonly branchDeleted: boolean;
  /** Paths that could not be removed, with the system's reason. Empty on success. */
  readonly leftOver: readonly { readonly path: string; readonly reason: string }[];
}

/** A path that differs between two trees. Renames carry both paths; statistics are those of `git diff --numstat -M`. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly before: Leaf | null;
  readonly after: Leaf | null;
  readonly renamedFrom: string | null;
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

export interface MergeRequest {
  /** Commit whose side wins ties of wording in labels; the target branch's tip. */
  readonly ours: ObjectId;
  readonly theirs: ObjectId;
  /** The base to take when the two have no common ancestor. */
  readonly fallbackBase: ObjectId;
  readonly labels: { readonly ours: string; readonly theirs: string };
}

export interface MergeConflictFact {
  readonly path: string;
  /** `content`, `add/add`, `modify/delete`, `binary`, `rename/rename`, … */
  readonly kind: string;
  readonly base: Leaf | null;
  readonly ours: Leaf | null;
  readonly theirs: Leaf | null;
  /** One sentence for people. */
  readonly detail: string;
}

export type MergeResult =
  /** `theirs` is in `ours` already. */
  | { readonly kind: 'up-to-date' }
  /** `ours` is in `theirs`: the branch can simply move. */
  | { readonly kind: 'fast-forward' }
  | { readonly kind: 'clean'; readonly tree: ObjectId }
  /** `markedTree` holds git's conflict markers. */
  | {
      readonly kind: 'conflicts';
      readonly conflicts: readonly MergeConflictFact[];
      readonly markedTree: ObjectId;
    };

/** An uncommitted path of the original's work tree. */
export interface UncommittedChange {
  readonly path: string;
  readonly staged: boolean;
  readonly kind: 'added' | 'modified' | 'deleted' | 'untracked' | 'unmerged';
}

/** Refs and shared configuration at one moment, to see later what changed behind our back. */
export interface RepositoryFingerprint {
  readonly refs: Readonly<Record<string, string>>;
  /** SHA-256 by name of `config`, `config.worktree`, `info/attributes`, `info/exclude`, and each hook. */
  readonly files: Readonly<Record<string, string>>;
  /** The values of `core.bare`, `core.worktree` and `core.hooksPath`, where set. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface RecoveryReport {
  /** What earlier processes left half-done, and what became of it. */
  readonly actions: readonly {
    readonly operation: 'add-worktree' | 'remove-worktree' | 'update-branch' | 'restore-worktree';
    readonly outcome: 'finished' | 'undone' | 'blocked';
    /** One sentence for people. */
    readonly detail: string;
  }[];
}

/**
 * One repository, seen from one of its work trees (the original): what a sandbox needs of git.
 *
 * Every method leaves refs, indexes and files as they were when it throws. What a dead process left half-done is set
 * right by {@link WorktreeHost.recover}, which callers run first. Hooks run nowhere. Safe to use from several processes.
 */
export interface WorktreeHost {
  readonly engine: EngineName;
  readonly facts: RepositoryFacts;
  readonly objects: ObjectStore;

  /** HEAD of the original, read anew. */
  readHead(): Promise<Head>;
  readRef(name: string): Promise<ObjectId | null>;
  /** By name, bytewise. @param prefix of whole components: `refs/heads/cleveragents`. */
  listRefs(prefix: string): Promise<readonly Ref[]>;
  /**
   * Compare and swap, with a reflog entry, under git's own locks.
   * @throws GitError `GIT_REF_MOVED`, `GIT_REF_EXISTS`, `GIT_REF_BLOCKED`, `GIT_LOCKED`.
   */
  updateRef(update: RefUpdate): Promise<void>;
  /** Also its reflog. Missing already: fine. @throws GitError `GIT_REF_MOVED`, `GIT_LOCKED`. */
  deleteRef(name: string, expected: ObjectId): Promise<void>;

  /** The main work tree first, then linked ones by name. */
  listWorktrees(): Promise<readonly WorktreeEntry[]>;
  /**
   * Makes the branch and a linked worktree with the commit's files in it. All or nothing.
   * @throws GitError `GIT_REF_EXISTS`, `GIT_REF_BLOCKED`, `GIT_WORKTREE_IN_USE`, `GIT_FILE_SYSTEM`, `GIT_TIMEOUT`.
   */
  addWorktree(worktree: NewWorktree, options?: OperationOptions): Promise<LinkedWorktree>;
  /** @throws GitError `GIT_WORKTREE_BROKEN` unless folder and admin folder point to each other. */
  openWorktree(path: string, gitDirectory: string): Promise<LinkedWorktree>;
  /** Idempotent; copes with a missing folder, a missing admin folder, and `git worktree lock`. Links go, their targets stay. */
  removeWorktree(removal: WorktreeRemoval, options?: OperationOptions): Promise<WorktreeRemovalResult>;

  /** Uncommitted changes of the original, sorted by path; untracked but not ignored files included. */
  listUncommitted(options?: OperationOptions): Promise<readonly UncommittedChange[]>;
  /** Sorted by path. @param from null is the empty tree. */
  compareTrees(from: ObjectId | null, to: ObjectId): Promise<readonly FileChange[]>;
  /** A patch that `git apply` takes, binary files named but not included. */
  formatPatch(from: ObjectId | null, to: ObjectId): Promise<Uint8Array>;
  isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean>;
  /** Commits reachable from `to` and not from `from`, newest first, at most `limit`. */
  listCommits(
    from: ObjectId,
    to: ObjectId,
    limit: number,
  ): Promise<readonly { readonly id: ObjectId; readonly commit: Commit }[]>;
  /** On objects alone: touches no ref, index or file. */
  merge(request: MergeRequest, options?: OperationOptions): Promise<MergeResult>;
  /** Author and committer as git would find them now. @throws GitError `GIT_IDENTITY_MISSING`. */
  readIdentity(): Promise<{ readonly author: Signature; readonly committer: Signature }>;

  /**
   * Takes the locks, reads the facts, and holds everything until the caller applies or abandons. The one way in which
   * a branch that somebody may have checked out is moved.
   * @throws GitError `GIT_REF_MOVED` when the branch does not stand at `from`; `GIT_LOCKED`; `GIT_TIMEOUT`.
   */
  beginBranchUpdate(request: BranchUpdateRequest, options?: OperationOptions): Promise<BranchUpdate>;

  readFingerprint(): Promise<RepositoryFingerprint>;
  /** Finishes or undoes what processes that are dead now left half-done. @throws GitError `GIT_RECOVERY_BLOCKED`. */
  recover(): Promise<RecoveryReport>;

  /** What dead processes left here, and what may be at work. Reads only. */
  examine(): Promise<LeftBehind>;
  /**
   * Makes the folder of a worktree and its admin folder point to each other again, whichever of the two pointers, or of
   * the admin files, is gone. Files stay as they are. Again: no effect.
   * @throws GitError `GIT_WORKTREE_BROKEN` when nothing proves that the folder is that worktree.
   */
  reattachWorktree(worktree: LostWorktree): Promise<void>;
  /**
   * Puts a setting of the shared configuration file back: to `value`, or away with it. Nothing else in the file changes.
   * @throws GitError `GIT_CONFIG_UNCHANGED` when the file is not written so that one setting alone can be changed;
   *   `GIT_LOCKED`.
   */
  restoreSetting(name: string, value: string | null): Promise<void>;
}
