import {
  type Checkpoint,
  CheckpointError,
  type NewCheckpoint,
  type RetentionPolicy,
  retentionPolicy,
  type RollbackResult,
  type SnapshotDifference,
} from '@cleveragents/checkpoint-domain';
import type {
  AppendedCheckpoint,
  CaptureOptions,
  CheckpointRepository,
  PlanStateGuard,
  SnapshotStore,
} from '@cleveragents/checkpoint-ports';
import {
  type Clock,
  type IdGenerator,
  parsePlanId,
  parseRelativePath,
  type PlanId,
  ValidationError,
} from '@cleveragents/shared-kernel';
import {
  type CapturedCheckpoint,
  CheckpointRecorder,
  isRestorable,
  requireStore,
} from './checkpoint-recorder.ts';
import { DefaultIds } from './default-ids.ts';
import { PlanStates } from './plan-states.ts';
import { Rollback, type RollbackOptions } from './rollback.ts';

export interface CheckpointServiceParts {
  readonly repository: CheckpointRepository;
  /** Without it refs can be recorded, but neither captured nor rolled back to. */
  readonly snapshots?: SnapshotStore | undefined;
  /** Asked beside what `registerSandbox` and `markPlanApplied` said. */
  readonly plans?: PlanStateGuard | undefined;
  readonly ids?: IdGenerator | undefined;
  readonly clock?: Clock | undefined;
  /** What holds when a call names no policy. Default: 50, pruned by itself. */
  readonly retention?: RetentionPolicy | undefined;
}

export type CreateCheckpoint = NewCheckpoint & { readonly retentionPolicy?: RetentionPolicy | undefined };

export type CaptureCheckpoint = Omit<CreateCheckpoint, 'sandboxRef'> & {
  /** Holds ignored files too that match one of these patterns of a `.gitignore`. */
  readonly includeIgnored?: readonly string[] | undefined;
  /** All that can have changed since the plan's last checkpoint or rollback; without it the whole tree is looked at. */
  readonly changedPaths?: readonly string[] | undefined;
  /** Ends the capture with its reason; nothing is recorded then. */
  readonly signal?: AbortSignal | undefined;
};

/** Records states of sandboxes, and brings them back without losing work. */
export class CheckpointService {
  readonly #repository: CheckpointRepository;
  readonly #snapshots: SnapshotStore | undefined;
  readonly #recorder: CheckpointRecorder;
  readonly #rollback: Rollback;
  readonly #plans: PlanStates;
  readonly #retention: RetentionPolicy;

  constructor({ repository, snapshots, plans, ids, clock, retention }: CheckpointServiceParts) {
    const time = clock ?? { now: () => new Date() };
    this.#repository = repository;
    this.#snapshots = snapshots;
    this.#recorder = new CheckpointRecorder(repository, snapshots, ids ?? new DefaultIds(time), time);
    this.#rollback = new Rollback(repository, this.#recorder, snapshots);
    this.#plans = new PlanStates(plans, snapshots);
    this.#retention = retention ?? retentionPolicy();
  }

  /**
   * Records a ref that the caller has; releasing it stays the caller's business.
   *
   * @throws ValidationError before anything is recorded.
   */
  async createCheckpoint({
    retentionPolicy: policy,
    ...input
  }: CreateCheckpoint): Promise<AppendedCheckpoint> {
    return this.#recorder.record(input, policy ?? this.#retention);
  }

  /**
   * Takes a snapshot of the plan's sandbox and records it.
   *
   * @throws CheckpointError `ROLLBACK_SANDBOX_MISSING`, `CHECKPOINT_SUPPORT_MISSING` without a snapshot store.
   */
  async captureCheckpoint(request: CaptureCheckpoint): Promise<CapturedCheckpoint> {
    const { retentionPolicy: policy, includeIgnored, changedPaths, signal, ...checkpoint } = request;
    const planId = parsePlanId(request.planId);
    const snapshots = requireStore(this.#snapshots);
    const root = await this.#plans.sandboxPath(planId);
    if (root === null) throw sandboxMissing(planId);
    const options: CaptureOptions = {
      includeIgnored,
      changedPaths: changedPaths?.map(parseRelativePath),
      signal,
    };
    return this.#recorder.capture({
      root,
      snapshots,
      options,
      checkpoint,
      policy: policy ?? this.#retention,
    });
  }

  /** Oldest first. */
  async listCheckpoints(planId: string): Promise<readonly Checkpoint[]> {
    return this.#repository.listByPlan(parsePlanId(planId));
  }

  /** @throws CheckpointNotFoundError */
  async getCheckpoint(checkpointId: string): Promise<Checkpoint> {
    return this.#repository.get(checkpointId);
  }

  /** @throws CheckpointNotFoundError */
  async deleteCheckpoint(
    checkpointId: string,
  ): Promise<{ readonly deleted: Checkpoint; readonly freedBytes: number }> {
    const deleted = await this.#repository.delete(checkpointId);
    return { deleted, freedBytes: await this.#recorder.releaseOf([deleted], 'now') };
  }

  /** Returns what went, oldest first, and how many bytes the snapshot store gave back. */
  async pruneCheckpoints(
    planId: string,
    policy: RetentionPolicy = this.#retention,
  ): Promise<{ readonly pruned: readonly Checkpoint[]; readonly freedBytes: number }> {
    const plan = parsePlanId(planId);
    await this.#recorder.settleAbandoned();
    const pruned = await this.#repository.prune(plan, policy);
    const freedBytes = policy.autoPrune ? await this.#recorder.releaseOf(pruned, 'now') : 0;
    return { pruned, freedBytes };
  }

  /**
   * Lets go of all checkpoints of a plan that is over, but of pinned ones, and of their snapshots. Returns what went, oldest
   * first, and how many bytes the snapshot store gave back.
   */
  async releasePlan(
    planId: string,
  ): Promise<{ readonly released: readonly Checkpoint[]; readonly freedBytes: number }> {
    const plan = parsePlanId(planId);
    await this.#recorder.settleAbandoned();
    const checkpoints = await this.#repository.listByPlan(plan);
    const released: Checkpoint[] = [];
    for (const checkpoint of checkpoints.filter(({ pinned, rollback }) => !pinned && !rollback?.isUnderWay))
      released.push(await this.#repository.delete(checkpoint.checkpointId));
    return { released, freedBytes: await this.#recorder.releaseOf(released, 'now') };
  }

  /**
   * Lets go of snapshots whose process died before a checkpoint named them, and of bytes that nobody needs. Returns how many
   * bytes the snapshot store gave back.
   */
  async releaseAbandoned(): Promise<number> {
    return this.#recorder.releaseOf([], 'now');
  }

  /** Retention never drops a pinned checkpoint. @throws CheckpointNotFoundError */
  async pinCheckpoint(checkpointId: string, pinned = true): Promise<Checkpoint> {
    return this.#repository.update(checkpointId, { pinned });
  }

  /** What a change from `fromCheckpointId` to `toCheckpointId` changes; without the second, to the sandbox as it is now. */
  async diffCheckpoints(
    fromCheckpointId: string,
    toCheckpointId?: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<readonly SnapshotDifference[]> {
    const from = await this.#repository.get(fromCheckpointId);
    const snapshots = requireStore(this.#snapshots);
    if (toCheckpointId !== undefined)
      return snapshots.diff(from.sandboxRef, (await this.#repository.get(toCheckpointId)).sandboxRef);
    const root = await this.#plans.sandboxPath(from.planId);
    if (root === null) throw sandboxMissing(from.planId);
    const { ref } = await snapshots.capture(root, {
      alsoCover: [from.sandboxRef],
      claimant: from.planId,
      signal,
    });
    try {
      return await snapshots.diff(from.sandboxRef, ref);
    } finally {
      await snapshots.release([ref]);
    }
  }

  /** Where this plan's sandbox lies, for as long as this service lives. */
  registerSandbox(planId: string, path: string): void {
    if (path === '') throw new ValidationError('sandbox path cannot be empty');
    this.#plans.register(parsePlanId(planId), path);
  }

  unregisterSandbox(planId: string): void {
    this.#plans.unregister(parsePlanId(planId));
  }

  /** From now on this service refuses to roll the plan back. */
  markPlanApplied(planId: string): void {
    this.#plans.markApplied(parsePlanId(planId));
  }

  /**
   * Takes a safety checkpoint, then brings the sandbox to the state of the checkpoint. Deletes and overwrites only what the
   * safety checkpoint holds: rolling back to it undoes this.
   *
   * @throws CheckpointNotFoundError, CheckpointError `ROLLBACK_PLAN_APPLIED`, `ROLLBACK_SANDBOX_MISSING`,
   *   `ROLLBACK_WRONG_PLAN`, `CHECKPOINT_NOT_RESTORABLE`, `ROLLBACK_PATH_UNKNOWN`, `ROLLBACK_TREE_MOVED`,
   *   `SNAPSHOT_STORE_CORRUPT`, `SNAPSHOT_RESTORE_FAILED`, in that order;
   *   the files are then as they were.
   */
  async rollbackToCheckpoint(
    planId: string,
    checkpointId: string,
    options: RollbackOptions = {},
  ): Promise<RollbackResult> {
    const plan = parsePlanId(planId);
    const target = await this.#repository.get(checkpointId);
    const root = await this.#plans.guardedSandbox(plan, target);
    return this.#rollback.run({ planId: plan, target, root, options, policy: this.#retention });
  }

  /** Settles a rollback that a crash cut short: to be called before anybody reads the sandbox, to apply it for instance. */
  async settleSandbox(planId: string): Promise<void> {
    const root = await this.#plans.sandboxPath(parsePlanId(planId));
    if (root !== null) await this.#snapshots?.settle(root);
  }

  /** The plan's newest checkpoint whose snapshot is there; `null` when there is none. */
  async latestRestorable(planId: string): Promise<Checkpoint | null> {
    const snapshots = requireStore(this.#snapshots);
    const newestFirst = (await this.#repository.listByPlan(parsePlanId(planId))).toReversed();
    for (const checkpoint of newestFirst) if (await isRestorable(snapshots, checkpoint)) return checkpoint;
    return null;
  }

  /**
   * Fills a sandbox that was lost, and whose empty directory is there again, from the plan's newest checkpoint that can be
   * restored; returns that one.
   *
   * @throws CheckpointError `ROLLBACK_SANDBOX_MISSING` without a directory, `SANDBOX_NOT_EMPTY`, `CHECKPOINT_NOT_RESTORABLE`
   *   when no checkpoint of the plan can be restored.
   */
  async restoreSandbox(planId: string): Promise<Checkpoint> {
    const plan = parsePlanId(planId);
    const root = await this.#plans.sandboxPath(plan);
    if (root === null) throw sandboxMissing(plan);
    const checkpoint = await this.latestRestorable(plan);
    if (checkpoint !== null) {
      await this.#rollback.fill(root, checkpoint);
      return checkpoint;
    }
    throw new CheckpointError(
      'CHECKPOINT_NOT_RESTORABLE',
      `no checkpoint of plan ${JSON.stringify(plan)} can be restored`,
      {
        hint: 'Create the sandbox anew from its base commit.',
        data: { planId: plan },
      },
    );
  }
}

function sandboxMissing(planId: PlanId): CheckpointError {
  return new CheckpointError(
    'ROLLBACK_SANDBOX_MISSING',
    `plan ${JSON.stringify(planId)}: sandbox is missing`,
    {
      hint: 'Register the sandbox of the plan, or create it.',
      data: { planId },
    },
  );
}
