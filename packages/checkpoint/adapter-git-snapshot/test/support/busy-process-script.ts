// One of several processes that work on one plan at once: checkpoints, prunes, and rolls back its own files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { retentionPolicy } from '@cleveragents/checkpoint-domain';
import { PLAN, serviceFor } from './plan-on-disk.ts';

const [root = '', storePath = '', records = '', name = ''] = process.argv.slice(2);
const service = serviceFor(
  new GitSnapshotStore({ path: storePath, lockTimeoutMs: 300_000 }),
  root,
  new FileCheckpointRepository({ directory: records, lockTimeoutMs: 300_000 }),
);
const file = join(root, name);
const policy = retentionPolicy({ maxCheckpoints: 6 });

for (let round = 0; round < 4; round++) {
  writeFileSync(file, `${name} ${round}`);
  const { checkpoint } = await service.captureCheckpoint({
    planId: PLAN,
    pinned: true,
    retentionPolicy: policy,
  });
  writeFileSync(file, `${name} ${round}, spoilt`);
  await service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId, { paths: [name] });
  const content = readFileSync(file, 'utf8');
  if (content !== `${name} ${round}`) throw new Error(`${name} holds ${content}`);
  await service.pinCheckpoint(checkpoint.checkpointId, false);
  await service.pruneCheckpoints(PLAN, policy);
}
