// Dies between a snapshot and its record, or just after the record.
import { CheckpointService } from '@cleveragents/checkpoint-application';
import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import type { CheckpointDraft, RetentionPolicy } from '@cleveragents/checkpoint-domain';
import type { AppendedCheckpoint } from '@cleveragents/checkpoint-ports';
import { PLAN } from './plan-on-disk.ts';

const [root = '', storePath = '', records = '', moment = ''] = process.argv.slice(2);

class DyingRepository extends FileCheckpointRepository {
  override async append(draft: CheckpointDraft, policy: RetentionPolicy): Promise<AppendedCheckpoint> {
    if (moment === 'recorded') await super.append(draft, policy);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  }
}

const service = new CheckpointService({
  repository: new DyingRepository({ directory: records }),
  snapshots: new GitSnapshotStore({ path: storePath }),
});
service.registerSandbox(PLAN, root);
await service.captureCheckpoint({ planId: PLAN });
