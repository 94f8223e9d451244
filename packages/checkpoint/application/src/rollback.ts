import {
  changedPaths,
  type Checkpoint,
  CheckpointError,
  notRestorable,
  planRestore,
  type RestorePlan,
  type RollbackResult,
  rollbackResult,
  type RetentionPolicy,
} from '@cleveragents/checkpoint-domain';
import type { CaptureOptions, CheckpointRepository, SnapshotStore } from '@cleveragents/checkpoint-ports';
import { hasCode, parseRelativePath, type PlanId, type RelativePath } from '@cleveragents/shared-kernel';
import { requireKnownPaths } from './known-paths.ts';
import { type CheckpointRecorder, isRestorable, requireStore } from './checkpoint-recorder.ts';

/** What the plan's tools did to a path last: SHA-256 of the file they left, `null` when they deleted it. */
export interface WrittenPath {
  readonly path: string;
  readonly afterHash: string | null;
}

export interface RollbackOptions {
  /** Changes nothing and returns the plan. */
  readonly dryRun?: boolean | undefined;
  /** Only these paths, and what lies below them. */
  readonly paths?: readonly string[] | undefined;
  /** `change-set`: only paths that still hold what `changeSet` says the tools last wrote there. Default `all`. */
  readonly scope?: 'all' | 'change-set' | undefined;
  /** In order; of several entries for a path the last counts. */
  readonly changeSet?: readonly WrittenPath[] | undefined;
  /** `plan.fingerprint` of a dry run: refuses when the rollback would not be that one any more. */
  readonly expectedFingerprint?: string | undefined;
  /** Goes on although `expectedFingerprint` does not match. The safety checkpoint holds what is there now. */
  readonly force?: boolean | undefined;
  /** All that can have changed since the plan's last checkpoint or rollback; without it the whole tree is looked at. */
  readonly changedPaths?: readonly string[] | undefined;
  /** Ends the rollback with its reason as long as no file was touched; nothing has changed then. */
  readonly signal?: AbortSignal | undefined;
  /** For people who read the safety checkpoint later. */
  readonly reason?: string | undefined;
}

export interface RollbackRequest {
  readonly planId: PlanId;
  readonly target: Checkpoint;
  readonly root: string;
  readonly options: RollbackOptions;
  readonly policy: RetentionPolicy;
}

/** A request whose paths are parsed. */
interface RollbackTask extends RollbackRequest {
  readonly capture: CaptureOptions;
  readonly paths: readonly RelativePath[] | undefined;
  readonly lastWritten: ReadonlyMap<RelativePath, string | null> | undefined;
}

/** Nothing was changed by a restore that ended in one of these, so its safety checkpoint protects nothing. */
const CLEAN_REFUSALS = [
  'ROLLBACK_PATH_UNKNOWN',
  'ROLLBACK_TREE_MOVED',
  'CHECKPOINT_NOT_RESTORABLE',
  'CHECKPOINT_NOT_FOUND',
  'SNAPSHOT_STORE_CORRUPT',
] as const;

/** Safety checkpoint, plan, restore; see `restore-plan` of the domain for what is touched. */
export class Rollback {
  readonly #repository: CheckpointRepository;
  readonly #recorder: CheckpointRecorder;
  readonly #snapshots: SnapshotStore | undefined;

  constructor(
    repository: CheckpointRepository,
    recorder: CheckpointRecorder,
    snapshots: SnapshotStore | undefined,
  ) {
    this.#repository = repository;
    this.#recorder = recorder;
    this.#snapshots = snapshots;
  }

  async run(request: RollbackRequest): Promise<RollbackResult> {
    const snapshots = this.#snapshots;
    if (snapshots === undefined) throw notRestorable(request.target.sandboxRef);
    await snapshots.uncovered(request.target.sandboxRef);
    const task = parsedTask(request, await this.#alsoCovered(request.target, snapshots));
    return task.options.dryRun === true ? this.#rehearse(task, snapshots) : this.#perform(task, snapshots);
  }

  /**
   * What the target holds; and where the target is a safety checkpoint, what the rollback that it undoes may have brought: both
   * whatever is ignored by now.
   */
  async #alsoCovered(target: Checkpoint, snapshots: SnapshotStore): Promise<readonly string[]> {
    if (target.rollback === undefined) return [target.sandboxRef];
    const siblings = await this.#repository.listByPlan(target.planId);
    const undone = siblings.find(({ checkpointId }) => checkpointId === target.rollback?.targetCheckpointId);
    const isThere = undone !== undefined && (await isRestorable(snapshots, undone));
    return isThere ? [target.sandboxRef, undone.sandboxRef] : [target.sandboxRef];
  }

  /** Fills the empty directory `root` with what `target` holds. @throws CheckpointError `SANDBOX_NOT_EMPTY`. */
  async fill(root: string, target: Checkpoint): Promise<void> {
    const snapshots = requireStore(this.#snapshots);
    const { ref, uncovered } = await snapshots.capture(root, { claimant: target.planId });
    try {
      const held = await snapshots.diff(null, ref);
      const first = held[0]?.path ?? uncovered[0]?.path;
      if (first !== undefined)
        throw new CheckpointError(
          'SANDBOX_NOT_EMPTY',
          `there is ${JSON.stringify(first)} in the sandbox already`,
          {
            hint: 'Only an empty directory can be filled; roll back to the checkpoint instead.',
            data: { root, path: first },
          },
        );
      const differences = await snapshots.diff(ref, target.sandboxRef);
      await snapshots.restore(root, planRestore({ differences, uncoveredNow: [], uncoveredThen: [] }));
    } finally {
      await snapshots.release([ref]);
    }
  }

  async #rehearse(task: RollbackTask, snapshots: SnapshotStore): Promise<RollbackResult> {
    const { ref } = await snapshots.capture(task.root, { ...task.capture, claimant: task.planId });
    try {
      const plan = await planOf(task, snapshots, ref);
      return { ...resultOf(task, plan, null), plan };
    } finally {
      await snapshots.release([ref]);
    }
  }

  async #perform(task: RollbackTask, snapshots: SnapshotStore): Promise<RollbackResult> {
    const { planId, target, root, options, policy } = task;
    const { checkpoint: safety } = await this.#recorder.capture({
      root,
      snapshots,
      policy,
      options: task.capture,
      rollback: { targetCheckpointId: target.checkpointId, isUnderWay: true },
      checkpoint: {
        planId,
        checkpointType: 'pre_rollback',
        reason: options.reason ?? `before rollback to ${target.checkpointId}`,
      },
    });
    try {
      // From here on retention keeps the target; until here another process may have dropped it.
      await this.#repository.get(target.checkpointId);
      const plan = await planOf(task, snapshots, safety.sandboxRef);
      requireExpected(plan, options);
      options.signal?.throwIfAborted();
      await snapshots.restore(root, plan);
      await this.#endIfPossible(safety);
      return resultOf(task, plan, safety.checkpointId);
    } catch (error) {
      if (hasCode(error, ...CLEAN_REFUSALS) || isAbort(error, options)) await this.#drop(safety);
      else await this.#endIfPossible(safety);
      throw error;
    }
  }

  /** It protects nothing. */
  async #drop(safety: Checkpoint): Promise<void> {
    await this.#recorder.releaseOf([await this.#repository.delete(safety.checkpointId)], 'when-worthwhile');
  }

  /** What the files are by now does not change because it cannot be noted down; once this process is gone the next prune does. */
  async #endIfPossible(safety: Checkpoint): Promise<void> {
    await this.#recorder.endRollback(safety).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error)) throw error;
    });
  }
}

/** Only before the first write does anybody ask the signal. */
function isAbort(error: unknown, { signal }: RollbackOptions): boolean {
  return signal?.aborted === true && error === signal.reason;
}

function parsedTask(request: RollbackRequest, alsoCover: readonly string[]): RollbackTask {
  const { changedPaths: hints, paths, scope, changeSet = [] } = request.options;
  return {
    ...request,
    capture: { alsoCover, changedPaths: hints?.map(parseRelativePath), signal: request.options.signal },
    paths: paths?.map(parseRelativePath),
    lastWritten:
      scope === 'change-set'
        ? new Map(changeSet.map(({ path, afterHash }) => [parseRelativePath(path), afterHash]))
        : undefined,
  };
}

async function planOf(task: RollbackTask, snapshots: SnapshotStore, safetyRef: string): Promise<RestorePlan> {
  const { target, paths, lastWritten } = task;
  const [differences, uncoveredNow, uncoveredThen] = await Promise.all([
    snapshots.diff(safetyRef, target.sandboxRef),
    snapshots.uncovered(safetyRef),
    snapshots.uncovered(target.sandboxRef),
  ]);
  const facts = { differences, uncoveredNow, uncoveredThen };
  if (paths !== undefined) await requireKnownPaths(paths, facts, { snapshots, presentRef: safetyRef });
  const written = lastWritten && (await stillAsWritten(lastWritten, snapshots, safetyRef));
  return planRestore(facts, { paths, written });
}

async function stillAsWritten(
  lastWritten: ReadonlyMap<RelativePath, string | null>,
  snapshots: SnapshotStore,
  safetyRef: string,
): Promise<ReadonlyMap<string, 'as-written' | 'changed-since-written'>> {
  const present = await snapshots.sha256(safetyRef, [...lastWritten.keys()]);
  return new Map(
    [...lastWritten].map(([path, afterHash]) => [
      path,
      (present.get(path) ?? null) === afterHash ? 'as-written' : 'changed-since-written',
    ]),
  );
}

function requireExpected(plan: RestorePlan, { expectedFingerprint, force }: RollbackOptions): void {
  if (expectedFingerprint === undefined || force === true || plan.fingerprint === expectedFingerprint) return;
  throw new CheckpointError('ROLLBACK_TREE_MOVED', 'the files changed since the rollback was planned', {
    hint: 'Look at a new dry run, or force the rollback: a safety checkpoint holds what is there now.',
    data: { expectedFingerprint, fingerprint: plan.fingerprint },
  });
}

function resultOf(
  { target }: RollbackTask,
  plan: RestorePlan,
  safetyCheckpointId: string | null,
): RollbackResult {
  return rollbackResult({
    fromCheckpointId: target.checkpointId,
    restoredFiles: changedPaths(plan.steps),
    keptFiles: plan.kept,
    safetyCheckpointId,
  });
}
