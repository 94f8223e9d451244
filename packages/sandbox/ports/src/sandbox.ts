import type { PlanId } from '@cleveragents/shared-kernel';
import type {
  CommitResult,
  FileReport,
  Overlap,
  PathAndReason,
  SandboxContext,
  SandboxFacts,
  SandboxRepairStep,
  SandboxState,
  SandboxStatus,
} from '@cleveragents/sandbox-domain';

/** How far a long operation is. `total` is null while nobody knows. */
export interface SandboxProgress {
  readonly phase: string;
  readonly done: number;
  readonly total: number | null;
}

export interface CallOptions {
  /** Aborting ends the call with `SANDBOX_ABORTED`, after what it began is undone. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: SandboxProgress) => void) | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Begin with the original's uncommitted changes (its ignored files excepted). */
  readonly includeDirty?: boolean | undefined;
  /** Paths of the original, relative to its root, that the sandbox gets a link to: `node_modules`. Never committed. */
  readonly link?: readonly string[] | undefined;
  /** Paths of the original that the sandbox gets a copy of: `.env`. Committed only where git tracks or would add them. */
  readonly copy?: readonly string[] | undefined;
  /** What the sandbox does not hold, and a commit does not see: patterns as in a `.gitignore` at the root. File copies only. */
  readonly exclude?: readonly string[] | undefined;
  /** Begin with work that was rescued before: `content` is laid on top of `base`. Refs or commit ids. */
  readonly startFrom?: { readonly content: string; readonly base: string } | undefined;
}

export interface CommitOptions extends CallOptions {
  /** Short name of the branch to merge into, instead of the one that the original was on at creation. */
  readonly targetBranch?: string | undefined;
  /** Accept that more than half of the files are gone. */
  readonly allowMassDeletion?: boolean | undefined;
}

export interface RollbackOptions extends CallOptions {
  /**
   * From committed: `reset` moves the target back, and is refused when others built on it; `revert` adds a commit that
   * undoes ours and keeps theirs. Default `reset`.
   */
  readonly strategy?: 'reset' | 'revert' | undefined;
}

export interface RollbackResult {
  /** The ref that keeps what was discarded; null when there was nothing. */
  readonly rescuedTo: string | null;
  /** Where the target stands now; null when it did not move. */
  readonly targetRef: string | null;
}

export interface CleanupResult {
  readonly worktreeRemoved: boolean;
  readonly branchDeleted: boolean;
  readonly rescuedTo: string | null;
  readonly leftOver: readonly PathAndReason[];
}

/** What a commit would take, as of now. */
export interface SandboxChanges {
  readonly files: readonly FileReport[];
  readonly insertions: number;
  readonly deletions: number;
  readonly omittedFiles: readonly PathAndReason[];
}

export interface SandboxConflict {
  readonly path: string;
  readonly kind: string;
  readonly detail: string;
}

/** What a commit would meet, as of now. Empty lists: it would go through. */
export interface CommitPreview extends SandboxChanges {
  readonly targetBranch: string | null;
  readonly conflicts: readonly SandboxConflict[];
  readonly overlaps: readonly Overlap[];
}

export interface RefreshResult {
  /** `conflicts`: the sandbox holds conflict markers now, for somebody to resolve before the next commit. */
  readonly kind: 'up-to-date' | 'merged' | 'conflicts';
  readonly conflicts: readonly SandboxConflict[];
  /** The target's commit that the sandbox is based on now. */
  readonly base: string;
}

/**
 * An isolated copy of a resource that a plan writes into. One protocol for every strategy; the life cycle is that of
 * `statusAfter` in the domain, and every call out of turn raises `SandboxStateError`.
 *
 * A call that throws leaves sandbox, original and status as they were. An instance is for one caller at a time; several
 * processes may each hold one for the same sandbox when a plan lock keeps them apart.
 */
export interface Sandbox {
  /** A ULID, from construction on. */
  readonly sandboxId: string;
  readonly status: SandboxStatus;
  /** Null before `create`. */
  readonly context: SandboxContext | null;
  /** What a `SandboxFactory` reopens the sandbox from. */
  readonly state: SandboxState;

  /**
   * @throws ValidationError `plan_id cannot be empty`.
   * @throws SandboxCreationError when the resource cannot be sandboxed; nothing is left behind.
   */
  create(planId: string, options?: CreateOptions): Promise<SandboxContext>;
  /**
   * Absolute path inside the sandbox of a path relative to its root. The file need not exist.
   * @throws ValidationError `Path traversal not allowed` for `..`, an absolute path, or a link that leads out.
   */
  getPath(resourcePath: string): Promise<string>;
  changes(options?: CallOptions): Promise<SandboxChanges>;
  /** The same as a patch that `git apply` takes. */
  patch(options?: CallOptions): Promise<Uint8Array>;
  /** Does everything that `commit` does short of changing anything. */
  previewCommit(options?: CommitOptions): Promise<CommitPreview>;
  /**
   * Merges what the target gained since creation into the sandbox.
   * @throws SandboxCommitError `SANDBOX_UNRESOLVED_CONFLICTS` when an earlier refresh is still to be resolved.
   */
  refresh(options?: CallOptions): Promise<RefreshResult>;
  /**
   * Takes all changes of the sandbox into the original. Nothing changed: success, empty lists, no commit.
   * @throws SandboxCommitError; the sandbox stays as it was and the original is untouched.
   */
  commit(message?: string, options?: CommitOptions): Promise<CommitResult>;
  /**
   * From active: the sandbox returns to its base. From committed: the original too.
   * @throws SandboxRollbackError when that would take somebody else's work.
   */
  rollback(options?: RollbackOptions): Promise<RollbackResult>;
  /** Removes the sandbox; work that is nowhere else is rescued first. Again: no effect. */
  cleanup(options?: CallOptions): Promise<CleanupResult>;
}

export interface RescuedWork {
  readonly ref: string;
  readonly commit: string;
  /** What it is laid on top of, where the work itself tells; else only the plan's record does. */
  readonly base?: string | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Makes and reopens the sandboxes of one strategy. */
export interface SandboxFactory {
  readonly strategy: SandboxContext['metadata']['strategy'];
  make(resource: { readonly resourceId: string; readonly originalPath: string }): Sandbox;
  /** A sandbox where another process, or this one before a crash, left it. Touches nothing. */
  reopen(
    resource: { readonly resourceId: string; readonly originalPath: string },
    state: SandboxState,
  ): Sandbox;
  /** Finishes or undoes what dead processes left half-done, in words. */
  recover(originalPath: string): Promise<readonly string[]>;
  /** What was rescued from the plan's sandboxes and is kept still, newest first. */
  listRescued(originalPath: string, planId: PlanId): Promise<readonly RescuedWork[]>;
  /**
   * All that there is of sandboxes of this strategy, by whomever they were made. Reads only.
   * @param known the sandboxes that plans count on: what is left of them is looked for where they were.
   */
  inspect(originalPath: string, known: readonly SandboxContext[]): Promise<SandboxFacts>;
  /**
   * Does one step of a repair, if what it is about is still as it was found; again: no effect.
   * @returns what was done, one sentence for people.
   * @throws SandboxError when it cannot be done; nothing has changed then.
   */
  repair(originalPath: string, step: SandboxRepairStep): Promise<string>;
}
