// Dies between a snapshot and its record, just after the record, or in a rollback: before its restore, or before it says that it is over.
import { CheckpointService } from '@cleveragents/checkpoint-application';
import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import type {
  Checkpoint,
  CheckpointChange,
  CheckpointDraft,
  RestorePlan,
  RetentionPolicy,
} from '@cleveragents/checkpoint-domain';
import type { AppendedCheckpoint } from '@cleveragents/checkpoint-ports';
import { PLAN } from './plan-on-disk.ts';

const [root = '', storePath = '', records = '', moment = '', target = ''] = process.argv.slice(2);

class DyingRepository extends FileCheckpointRepository {
  override async append(draft: CheckpointDraft, policy: RetentionPolicy): Promise<AppendedCheckpoint> {
    if (moment === 'captured') return die();
    const appended = await super.append(draft, policy);
    return moment === 'recorded' ? die() : appended;
  }

  override async update(checkpointId: string, change: CheckpointChange): Promise<Checkpoint> {
    return moment === 'restored' ? die() : super.update(checkpointId, change);
  }
}

class DyingStore extends GitSnapshotStore {
  override async restore(into: string, plan: RestorePlan): Promise<void> {
    return moment === 'about to restore' ? die() : super.restore(into, plan);
  }
}

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => undefined);
}

const service = new CheckpointService({
  repository: new DyingRepository({ directory: records }),
  snapshots: new DyingStore({ path: storePath }),
});
service.registerSandbox(PLAN, root);
if (target === '') await service.captureCheckpoint({ planId: PLAN });
else await service.rollbackToCheckpoint(PLAN, target);
