import {
  type Checkpoint,
  checkpointDraft,
  type CheckpointOrigin,
  CheckpointError,
  type NewCheckpoint,
  type RetentionPolicy,
  type RollbackUnderSafety,
  summaryOfCoverage,
} from '@cleveragents/checkpoint-domain';
import type {
  AppendedCheckpoint,
  CapturedSnapshot,
  CaptureOptions,
  CheckpointRepository,
  SnapshotStore,
} from '@cleveragents/checkpoint-ports';
import { type Clock, hasCode, type IdGenerator, parsePlanId } from '@cleveragents/shared-kernel';

export type Reclaim = 'now' | 'when-worthwhile';

export interface CaptureRequest {
  readonly root: string;
  readonly snapshots: SnapshotStore;
  readonly options: CaptureOptions;
  readonly checkpoint: Omit<NewCheckpoint, 'sandboxRef'>;
  readonly policy: RetentionPolicy;
  /** Retention keeps the checkpoint and its target until {@link CheckpointRecorder.endRollback}, or until this process is dead. */
  readonly rollback?: RollbackUnderSafety;
}

export interface CapturedCheckpoint extends AppendedCheckpoint {
  readonly snapshot: CapturedSnapshot;
}

/** Keeps records and snapshots in step: a record is dropped first, then the snapshot that only it needed. */
export class CheckpointRecorder {
  readonly #repository: CheckpointRepository;
  readonly #snapshots: SnapshotStore | undefined;
  readonly #ids: IdGenerator;
  readonly #clock: Clock;

  constructor(
    repository: CheckpointRepository,
    snapshots: SnapshotStore | undefined,
    ids: IdGenerator,
    clock: Clock,
  ) {
    this.#repository = repository;
    this.#snapshots = snapshots;
    this.#ids = ids;
    this.#clock = clock;
  }

  async record(
    input: NewCheckpoint,
    policy: RetentionPolicy,
    more: Pick<CheckpointOrigin, 'coverage' | 'rollback'> = {},
  ): Promise<AppendedCheckpoint> {
    await this.settleAbandoned();
    const appended = await this.#repository.append(
      checkpointDraft(input, { ...this.#origin(), ...more }),
      policy,
    );
    if (appended.pruned.length > 0) await this.releaseOf(appended.pruned, 'when-worthwhile');
    return appended;
  }

  async capture(request: CaptureRequest): Promise<CapturedCheckpoint> {
    const { root, snapshots, options, checkpoint, policy, rollback } = request;
    checkpointDraft({ ...checkpoint, sandboxRef: 'not yet taken' }, this.#origin());
    const snapshot = await snapshots.capture(root, { ...options, claimant: checkpoint.planId });
    const coverage = summaryOfCoverage(snapshot.fileCount, snapshot.uncovered);
    try {
      options.signal?.throwIfAborted();
      const appended = await this.record(
        { sizeBytes: snapshot.addedBytes, ...checkpoint, sandboxRef: snapshot.ref },
        policy,
        { coverage, ...(rollback && { rollback }) },
      );
      if (rollback === undefined) await snapshots.claim(snapshot.ref);
      return { ...appended, snapshot };
    } catch (error) {
      await snapshots.release([snapshot.ref]);
      throw error;
    }
  }

  /** A safety snapshot is claimed last: until then the store tells whether whoever rolls back is still alive. */
  async endRollback({ checkpointId, sandboxRef }: Checkpoint): Promise<void> {
    await this.#repository.update(checkpointId, { isRollbackUnderWay: false });
    await this.#snapshots?.claim(sandboxRef);
  }

  /**
   * Also of what dead processes left. A ref that the caller brought is the caller's to release; one that another checkpoint
   * names is still needed.
   */
  async releaseOf(dropped: readonly Checkpoint[], reclaim: Reclaim): Promise<number> {
    if (this.#snapshots === undefined) return 0;
    const planIds = new Set(dropped.map(({ planId }) => planId));
    const living = await Promise.all([...planIds].map((planId) => this.#repository.listByPlan(planId)));
    const needed = new Set(living.flat().map(({ sandboxRef }) => sandboxRef));
    const released = dropped
      .filter(({ coverage, sandboxRef }) => coverage !== undefined && !needed.has(sandboxRef))
      .map(({ sandboxRef }) => sandboxRef);
    const refs = [...released, ...(await this.settleAbandoned())];
    if (refs.length === 0 && reclaim !== 'now') return 0;
    return this.#snapshots.release(refs, { reclaim });
  }

  /**
   * What processes left that died since: a snapshot that was recorded is claimed, and a rollback that it made safe is over.
   * Returns those that were never recorded, for release.
   */
  async settleAbandoned(): Promise<readonly string[]> {
    const unrecorded: string[] = [];
    for (const { ref, claimant } of (await this.#snapshots?.abandoned()) ?? []) {
      const records = await this.#repository.listByPlan(parsePlanId(claimant));
      const record = records.find(({ sandboxRef }) => sandboxRef === ref);
      if (record === undefined) unrecorded.push(ref);
      else await this.#settle(record);
    }
    return unrecorded;
  }

  async #settle(record: Checkpoint): Promise<void> {
    try {
      if (record.rollback?.isUnderWay === true) await this.endRollback(record);
      else await this.#snapshots?.claim(record.sandboxRef);
    } catch (error) {
      // Somebody else settled and dropped it at the same time, and releases what it named.
      if (!hasCode(error, 'CHECKPOINT_NOT_FOUND')) throw error;
    }
  }

  #origin(): CheckpointOrigin {
    return { checkpointId: this.#ids.next(), createdAt: this.#clock.now() };
  }
}

/** @throws CheckpointError `CHECKPOINT_SUPPORT_MISSING` when there is no store. */
export function requireStore(snapshots: SnapshotStore | undefined): SnapshotStore {
  if (snapshots === undefined)
    throw new CheckpointError('CHECKPOINT_SUPPORT_MISSING', 'this service has no snapshot store', {
      hint: 'Give CheckpointService a `snapshots` store, or record refs of your own with createCheckpoint.',
    });
  return snapshots;
}

/** Whether the store still holds what the checkpoint stands for. */
export async function isRestorable(snapshots: SnapshotStore, { sandboxRef }: Checkpoint): Promise<boolean> {
  try {
    await snapshots.uncovered(sandboxRef);
    return true;
  } catch (error) {
    if (hasCode(error, 'CHECKPOINT_NOT_RESTORABLE')) return false;
    throw error;
  }
}
