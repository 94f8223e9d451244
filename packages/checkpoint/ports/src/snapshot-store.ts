import type { RestorePlan, SnapshotDifference, Uncovered } from '@cleveragents/checkpoint-domain';
import { type RelativePath, type Token, token } from '@cleveragents/shared-kernel';

/**
 * Takes and restores whole trees, byte for byte: disk bytes, kinds and permission bits, empty directories included. A `root` is
 * an absolute path of a directory. What it cannot hold it names; one path that cannot be read never empties a snapshot.
 */
export interface SnapshotStore {
  /**
   * The tree below `root` as it stands. Finishes or undoes a restore that a crash cut short first. Writes nothing below `root`
   * otherwise.
   *
   * @throws CheckpointError `ROLLBACK_SANDBOX_MISSING` when `root` is no directory.
   */
  capture(root: string, options?: CaptureOptions): Promise<CapturedSnapshot>;

  /** Whether `root` is a directory. */
  hasRoot(root: string): Promise<boolean>;

  /** @throws CheckpointError `CHECKPOINT_NOT_RESTORABLE` for a ref that the store does not hold, as do the calls below. */
  uncovered(ref: string): Promise<readonly Uncovered[]>;

  /**
   * Every path at which two snapshots differ, sorted by path; `present: null` is the snapshot of an empty directory. Costs what
   * differs, not what is there.
   */
  diff(present: string | null, wanted: string): Promise<readonly SnapshotDifference[]>;

  /** SHA-256 (64 hex digits) of the file or link target that the snapshot holds there; `null` where it holds neither. */
  sha256(ref: string, paths: readonly RelativePath[]): Promise<ReadonlyMap<RelativePath, string | null>>;

  /**
   * Carries out a plan between two snapshots of this store. Before the first write every step's `present` is compared with
   * what lies there; afterwards every step's `wanted` is. Whatever fails, `root` ends in the old state or in the new one, also
   * after a crash: then the next `capture` or `restore` of `root` settles it.
   *
   * @throws CheckpointError `ROLLBACK_TREE_MOVED` when a path no longer holds `present`, `SNAPSHOT_RESTORE_FAILED` when
   *   writing failed: in both cases nothing has changed.
   */
  restore(root: string, plan: RestorePlan): Promise<void>;

  /**
   * Settles a restore of `root` that a crash cut short, before somebody else reads the tree; `capture` and `restore` do so by
   * themselves. Nothing to settle, or no root: nothing happens.
   */
  settle(root: string): Promise<void>;

  /** From now on the snapshot stays until it is released. Of one that was captured without a claimant it changes nothing. */
  claim(ref: string): Promise<void>;

  /** Snapshots whose process died before they were claimed or released. They stay until somebody releases them. */
  abandoned(): Promise<readonly AbandonedSnapshot[]>;

  /**
   * Lets go of snapshots; unknown refs are fine. With `reclaim: 'now'` the bytes that no snapshot needs any more are gone
   * once this resolves, otherwise at the latest when they are worth the work. Returns how many bytes were freed.
   */
  release(
    refs: readonly string[],
    options?: { readonly reclaim?: 'now' | 'when-worthwhile' },
  ): Promise<number>;
}

export interface CaptureOptions {
  /** Holds ignored files too that match one of these patterns of a `.gitignore`. */
  readonly includeIgnored?: readonly string[] | undefined;
  /** Holds whatever these snapshots hold, also what is ignored by now. */
  readonly alsoCover?: readonly string[] | undefined;
  /**
   * All that can have changed since this store's last capture or restore of `root`. A promise of the caller: without it the
   * whole tree is looked at.
   */
  readonly changedPaths?: readonly RelativePath[] | undefined;
  /**
   * Who will `claim` the snapshot or `release` it, the plan for instance. Should this process die before either, `abandoned`
   * names the snapshot with this word; without it the snapshot stays until it is released.
   */
  readonly claimant?: string | undefined;
  /** Ends the look, and a wait for others, with its reason: nothing is captured then. */
  readonly signal?: AbortSignal | undefined;
}

export interface AbandonedSnapshot {
  readonly ref: string;
  readonly claimant: string;
}

export interface CapturedSnapshot {
  /** Names the snapshot in this store, never empty, never given twice. */
  readonly ref: string;
  readonly fileCount: number;
  /** Sorted by path. */
  readonly uncovered: readonly Uncovered[];
  /** Bytes that the store has grown by. */
  readonly addedBytes: number;
}

export const SnapshotStoreToken: Token<SnapshotStore> = token('@cleveragents/checkpoint-ports/SnapshotStore');
