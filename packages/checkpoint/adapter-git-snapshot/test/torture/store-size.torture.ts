import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { retentionPolicy } from '@cleveragents/checkpoint-domain';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { createRepository } from '@cleveragents/shared-testing';
import { PLAN, serviceFor } from '../support/plan-on-disk.ts';

const VERSION_BYTES = 5 * 1024 * 1024;

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

it('after 200 checkpoints of a changing file the store is little more than the 50 versions that it keeps', async () => {
  await using repository = await createRepository({ files: { small: 'small' } });
  const storePath = repository.path('.git/cleveragents/checkpoints.git');
  const service = serviceFor(
    new GitSnapshotStore({ path: storePath, durability: 'process' }),
    repository.root,
  );
  for (let version = 0; version < 200; version++) {
    writeFileSync(repository.path('large'), randomBytes(VERSION_BYTES));
    await service.captureCheckpoint({ planId: PLAN });
  }
  expect(bytesIn(storePath)).toBeLessThanOrEqual(1.1 * 50 * VERSION_BYTES);

  await repository.git('gc', '--quiet', '--prune=now');
  await repository.fsck();
  for (const { checkpointId } of await service.listCheckpoints(PLAN))
    await service.diffCheckpoints(checkpointId);

  const before = bytesIn(storePath);
  const { freedBytes } = await service.pruneCheckpoints(PLAN, retentionPolicy({ maxCheckpoints: 2 }));
  expect(freedBytes).toBeGreaterThan(47 * VERSION_BYTES);
  expect(before - bytesIn(storePath)).toBeGreaterThan(47 * VERSION_BYTES);
}, 1_800_000);
