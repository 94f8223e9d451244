import type { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import type { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import {
  complaintsOf,
  forgottenSnapshots,
  type SnapshotRecord,
  type StoreFacts,
  DEFAULT_STORE_BUDGET_BYTES,
  type StoreComplaint,
} from '@cleveragents/checkpoint-domain';
import { byDoctor, byYou, type Finding } from '@cleveragents/sandbox-domain';
import type { HealthCheck } from '@cleveragents/sandbox-ports';
import type { Workbench } from '../composition-root.ts';
import { releaseOverPlans } from '../commands/checkpoint-release.ts';
import { bytes, plural } from '../render/text.ts';

export interface CheckpointHealthParts {
  readonly records: Pick<FileCheckpointRepository, 'listCorrupt' | 'listAll'>;
  readonly store: Pick<GitSnapshotStore, 'abandoned' | 'dropLeftKeeps' | 'inspection' | 'release'>;
  readonly service: Pick<Workbench, 'plans' | 'checkpoints' | 'clock'>;
  readonly budgetBytes?: number | undefined;
}

/** Tells the doctor of plans what is wrong with their checkpoints. */
export class CheckpointHealth implements HealthCheck {
  readonly #parts: CheckpointHealthParts;

  constructor(parts: CheckpointHealthParts) {
    this.#parts = parts;
  }

  async examine(): Promise<readonly Finding[]> {
    return complaintsOf(await this.#facts()).map(findingOf);
  }

  async #facts(): Promise<StoreFacts> {
    const { records, store, budgetBytes = DEFAULT_STORE_BUDGET_BYTES } = this.#parts;
    const { inspection } = store;
    const settled = inspection.settled();
    const recorded = await records.listAll();
    return {
      settled,
      recorded,
      missing: await this.#missing(recorded),
      damaged: inspection.damaged(),
      keepsLeft: inspection.leftKeeps(),
      corrupt: await records.listCorrupt(),
      abandoned: await store.abandoned(),
      storedBytes: inspection.storedBytes(),
      budgetBytes,
    };
  }

  /** A checkpoint may have been deleted since it was listed: its record goes before its snapshot. */
  async #missing(recorded: readonly SnapshotRecord[]): Promise<readonly string[]> {
    const { records, store } = this.#parts;
    const gone = recorded.filter(({ sandboxRef }) => !store.inspection.holds(sandboxRef));
    if (gone.length === 0) return [];
    const still = new Set((await records.listAll()).map(({ checkpointId }) => checkpointId));
    return gone.filter(({ checkpointId }) => still.has(checkpointId)).map(({ sandboxRef }) => sandboxRef);
  }

  async repair({ kind, subject }: Finding): Promise<string> {
    const { service, store } = this.#parts;
    if (kind === 'keep-refs-left') {
      await store.dropLeftKeeps();
      return `Removed ${subject}.`;
    }
    if (kind === 'snapshots-forgotten') {
      const forgotten = forgottenSnapshots(await this.#facts());
      return `The store gave back ${bytes(await store.release(forgotten, { reclaim: 'now' }))}.`;
    }
    const before = kind === 'store-over-budget' ? await releaseOverPlans(service, { atOnce: true }) : null;
    const freed = (before?.freedBytes ?? 0) + (await service.checkpoints.releaseAbandoned());
    return `The store gave back ${bytes(freed)}.`;
  }
}

function findingOf(complaint: StoreComplaint): Finding {
  switch (complaint.kind) {
    case 'checkpoint-unreadable':
      return {
        kind: complaint.kind,
        subject: complaint.path,
        planId: null,
        severity: 'problem',
        problem: `The record of a checkpoint cannot be read: ${complaint.reason}`,
        meaning:
          'Nobody can go back to this checkpoint. Others are not touched by it. A newer version may have written it.',
        repair: byYou(
          'Use the newest version of cleveragents; if that cannot read it either, move the file away.',
        ),
      };
    case 'snapshot-abandoned':
      return {
        kind: complaint.kind,
        subject: complaint.ref,
        planId: complaint.planId,
        severity: 'problem',
        problem: 'A process died after it took this snapshot, and before any checkpoint named it.',
        meaning: 'Nobody can go back to it. It takes up space.',
        repair: byDoctor('Lets go of it, unless a checkpoint names it after all.', { step: 'elsewhere' }),
      };
    case 'snapshots-forgotten':
      return {
        kind: complaint.kind,
        subject: 'snapshots',
        planId: null,
        severity: 'problem',
        problem: `There are snapshots (${complaint.count}) that no checkpoint names: its record was removed.`,
        meaning: 'Nobody can go back to them. They take up space.',
        repair: byDoctor('Lets go of them.', { step: 'elsewhere' }),
      };
    case 'snapshot-missing':
      return lostCheckpoint(complaint, 'The snapshot of this checkpoint is not in the store.');
    case 'snapshot-damaged':
      return lostCheckpoint(
        complaint,
        `The store lacks ${plural(complaint.missing.length, 'object')} of this checkpoint: ${complaint.missing[0] ?? ''}`,
      );
    case 'keep-refs-left':
      return {
        kind: complaint.kind,
        subject: 'refs/cleveragents/keep',
        planId: null,
        severity: 'problem',
        problem: `${plural(complaint.refs.length, 'ref')} of ours in the repository ${complaint.refs.length === 1 ? 'keeps' : 'keep'} what no snapshot needs.`,
        meaning: 'Commits that nobody else needs stay in the repository.',
        repair: byDoctor('Removes them.', { step: 'elsewhere' }),
      };
    case 'store-over-budget':
      return {
        kind: complaint.kind,
        subject: 'checkpoints',
        planId: null,
        severity: 'problem',
        problem: `Checkpoints take ${bytes(complaint.storedBytes)}; their budget is ${bytes(complaint.budgetBytes)}.`,
        meaning:
          'The disk fills up. What open plans may still go back to is not touched: `cleveragents checkpoint prune ID --keep 10` thins it out.',
        repair: byDoctor('Lets go of the checkpoints of plans that are over, but of pinned ones.', {
          step: 'elsewhere',
        }),
      };
  }
}

/** No doctor can bring back what is gone. */
function lostCheckpoint(
  { kind, checkpoint }: Extract<StoreComplaint, { readonly checkpoint: SnapshotRecord }>,
  problem: string,
): Finding {
  const { checkpointId, planId } = checkpoint;
  return {
    kind,
    subject: checkpointId,
    planId,
    severity: 'problem',
    problem,
    meaning:
      kind === 'snapshot-damaged'
        ? 'Nobody can go back to it as a whole. Others are not touched by it, but pruning frees no bytes meanwhile.'
        : 'Nobody can go back to it. Others are not touched by it.',
    repair: byYou('Delete it.', 'cleveragents', 'checkpoint', 'delete', checkpointId),
  };
}
