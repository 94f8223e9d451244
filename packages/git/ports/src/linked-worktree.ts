import type { ObjectId } from '@cleveragents/git-domain';
import type { Head } from './git-engine.ts';
import type { OperationOptions } from './operation-options.ts';
import type { MergeConflictFact } from './worktree-host.ts';

/** Everything in a worktree that git would track, as one tree. */
export interface CapturedTree {
  readonly tree: ObjectId;
  /** Files of the worktree by count, ignored ones left out. */
  readonly fileCount: number;
  /** What the tree leaves out, and why; gitlinks are kept as they were. */
  readonly omitted: readonly {
    readonly path: string;
    readonly reason: 'nested-repository' | 'special-file' | 'unreadable' | 'unusable-name';
  }[];
  /** Paths of the merge in progress whose files still hold conflict markers. Empty when no merge is in progress. */
  readonly unresolved: readonly string[];
  /** The other parent that the next commit has, when a merge is in progress. */
  readonly mergeHead: ObjectId | null;
  /** There when it was asked for and the engine can tell. */
  readonly watch?: WorktreeWatch | undefined;
}

/** Hears what is written into a worktree from the moment before its capture began. Keeps no process alive. */
export interface WorktreeWatch {
  /** True: nothing was written that could make another capture differ. False: look again. */
  isQuiet(): Promise<boolean>;
  /** Again: no effect. */
  close(): void;
}

export interface CaptureOptions extends OperationOptions {
  /**
   * Untracked paths to leave out although no ignore rule names them: links that we put there. (`node_modules/` in a
   * .gitignore matches a directory and not a link of that name.)
   */
  readonly omit?: readonly string[] | undefined;
  /** Hear what is written from now on; the caller closes the watch. */
  readonly watch?: boolean | undefined;
}

/** A linked worktree of ours: an agent may do anything in it, git commands included. */
export interface LinkedWorktree {
  readonly path: string;
  readonly gitDirectory: string;

  readHead(): Promise<Head>;
  /**
   * Writes the tree of the worktree as it stands: tracked and untracked, not ignored, equal to `git add -A && git
   * write-tree`. Changes neither files nor the worktree's index in a way that `git status` would show.
   * @throws GitError `GIT_WORKTREE_BROKEN`, `GIT_WORKTREE_MOVING` when a file keeps changing while it is read.
   */
  capture(options?: CaptureOptions): Promise<CapturedTree>;
  /**
   * Puts HEAD on `branch`, the branch at `commit` (it must stand at `expected`), and the index to the commit's tree;
   * files stay as they are. Ends a merge in progress.
   * @throws GitError `GIT_REF_MOVED`.
   */
  record(
    commit: ObjectId,
    branch: { readonly name: string; readonly expected: ObjectId },
    message: string,
  ): Promise<void>;
  /**
   * Makes files, index, HEAD and branch those of `commit`: changed files get its bytes, other files go, ignored files
   * stay. Whatever the worktree holds beyond that is lost: callers capture it first. Finished by `recover` if cut short.
   */
  restore(commit: ObjectId, branch: string, options?: OperationOptions): Promise<void>;
  /**
   * Writes a conflicted merge into files and index, as `git merge` would leave it: markers in the files, stages in the
   * index, MERGE_HEAD and MERGE_MSG set. The worktree must stand at the tree of its HEAD.
   */
  beginMerge(merge: {
    readonly theirs: ObjectId;
    readonly markedTree: ObjectId;
    readonly conflicts: readonly MergeConflictFact[];
    readonly message: string;
  }): Promise<void>;
}
