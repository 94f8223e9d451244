// First checkpoint of a tree, a second with a full scan, a rollback; prints the most memory that the process had, in bytes.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { CheckpointService } from '@cleveragents/checkpoint-application';
import { peakBytes } from '../peak-memory.ts';

const PLAN = 'bench';
const [root = '', folder = '', changed = ''] = process.argv.slice(2);
const service = new CheckpointService({
  repository: new FileCheckpointRepository({ directory: join(folder, 'checkpoints') }),
  snapshots: new GitSnapshotStore({ path: join(folder, 'checkpoints.git') }),
});
service.registerSandbox(PLAN, root);
const { checkpoint } = await service.captureCheckpoint({ planId: PLAN });
appendFileSync(join(root, changed), '// changed\n');
await service.captureCheckpoint({ planId: PLAN });
const { restoredFiles } = await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId);
if (restoredFiles.join() !== changed) throw new Error(`restored ${restoredFiles.join()}`);
console.log(peakBytes());
