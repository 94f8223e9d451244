import type { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import type { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import {
  complaintsOf,
  forgottenSnapshots,
  type StoreFacts,
  DEFAULT_STORE_BUDGET_BYTES,
  type StoreComplaint,
} from '@cleveragents/checkpoint-domain';
import { byDoctor, byYou, type Finding } from '@cleveragents/sandbox-domain';
import type { HealthCheck } from '@cleveragents/sandbox-ports';
import type { Workbench } from '../composition-root.ts';
import { releaseOverPlans } from '../commands/checkpoint-release.ts';
import { bytes } from '../render/text.ts';

export interface CheckpointHealthParts {
  readonly records: Pick<FileCheckpointRepository, 'listCorrupt' | 'listAll'>;
  readonly store: Pick<GitSnapshotStore, 'abandoned' | 'release' | 'settled' | 'storedBytes'>;
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
    const settled = await store.settled();
    return {
      settled,
      recorded: (await records.listAll()).map(({ sandboxRef }) => sandboxRef),
      corrupt: await records.listCorrupt(),
      abandoned: await store.abandoned(),
      storedBytes: await store.storedBytes(),
      budgetBytes,
    };
  }

  async repair({ kind }: Finding): Promise<string> {
    const { service, store } = this.#parts;
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
