import { expect, it } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { bundleScript, hermeticGitEnvironment, temporaryDirectory } from '@cleveragents/shared-testing';
import { diskSubject } from '../support/disk-workspace.ts';
import { PLAN, serviceFor } from '../support/plan-on-disk.ts';

const SCRIPT = join(import.meta.dirname, '..', 'support', 'busy-process-script.ts');

it('ten processes checkpoint, roll back and prune one plan at once: each gets its files back, and every checkpoint left is whole', async () => {
  const { workspace, storePath, store } = await diskSubject();
  const { path: folder } = temporaryDirectory();
  const records = join(folder, 'records');
  for (let number = 0; number < 300; number++) await workspace.write(`shared/${number}`, `shared ${number}`);
  const names = Array.from({ length: 10 }, (_, number) => `process-${number}`);
  for (const name of names) await workspace.write(name, 'begin');
  const bundle = await bundleScript(SCRIPT, folder);
  await Promise.all(
    names.map((name) =>
      promisify(execFile)(process.execPath, [bundle, workspace.root, storePath, records, name]),
    ),
  );
  execFileSync('git', [`--git-dir=${storePath}`, 'fsck', '--strict', '--full'], {
    env: hermeticGitEnvironment(),
    stdio: 'pipe',
  });
  const service = serviceFor(store, workspace.root, new FileCheckpointRepository({ directory: records }));
  const left = await service.listCheckpoints(PLAN);
  expect(left.length).toBeLessThanOrEqual(6);
  for (const { checkpointId } of left) {
    await service.rollbackToCheckpoint(PLAN, checkpointId);
    expect((await service.diffCheckpoints(checkpointId)).map(({ path }) => path)).toEqual([]);
  }
}, 900_000);
