import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileCheckpointRepository } from '@cleveragents/checkpoint-adapter-file';
import { retentionPolicy } from '@cleveragents/checkpoint-domain';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { diskSubject } from './support/disk-workspace.ts';
import { PLAN, serviceFor } from './support/plan-on-disk.ts';

const SCRIPT = join(import.meta.dirname, 'support', 'dying-process-script.ts');

describe('a process that dies', () => {
  it.each([
    ['between a snapshot and its record', 'captured', 1],
    ['just after the record', 'recorded', 2],
  ])(
    '%s leaves nothing behind that a prune does not see to',
    async (_when, moment, recorded) => {
      const { store, storePath, workspace, reopen } = await diskSubject();
      const records = join(temporaryDirectory().path, 'records');
      const service = serviceFor(store, workspace.root, new FileCheckpointRepository({ directory: records }));
      await workspace.write('a', 'old');
      await service.captureCheckpoint({ planId: PLAN });
      await workspace.write('a', 'new');
      const words = ['--conditions=@cleveragents/source', '--import', 'tsx', SCRIPT];
      const died = spawnSync(process.execPath, [...words, workspace.root, storePath, records, moment]);
      expect(died.signal).toBe('SIGKILL');
      const [{ ref = '' } = {}, ...others] = await reopen().abandoned();
      expect(others).toEqual([]);
      await service.pruneCheckpoints(PLAN, retentionPolicy());
      expect(await store.abandoned()).toEqual([]);
      expect(readdirSync(join(storePath, 'refs', 'snapshots'))).toHaveLength(recorded);
      expect(readdirSync(join(storePath, 'refs', 'snapshots')).includes(ref)).toBe(recorded === 2);
      for (const { checkpointId } of await service.listCheckpoints(PLAN))
        await service.rollbackToCheckpoint(PLAN, checkpointId);
    },
    60_000,
  );

  it.each(['recorded', 'about to restore', 'restored'])(
    'in a rollback, once its safety checkpoint is %s, keeps no checkpoint from being pruned',
    async (moment) => {
      const { store, storePath, workspace } = await diskSubject();
      const records = join(temporaryDirectory().path, 'records');
      const service = serviceFor(store, workspace.root, new FileCheckpointRepository({ directory: records }));
      await workspace.write('a', 'old');
      await service.captureCheckpoint({ planId: PLAN });
      const { checkpoint: target } = await service.captureCheckpoint({ planId: PLAN });
      await workspace.write('a', 'new');
      const words = ['--conditions=@cleveragents/source', '--import', 'tsx', SCRIPT];
      const scene = [workspace.root, storePath, records, moment, target.checkpointId];
      expect(spawnSync(process.execPath, [...words, ...scene]).signal).toBe('SIGKILL');
      expect(await service.listCheckpoints(PLAN)).toMatchObject([{}, {}, { rollback: { isUnderWay: true } }]);
      const { checkpoint: last } = await service.captureCheckpoint({ planId: PLAN });

      await service.pruneCheckpoints(PLAN, retentionPolicy({ maxCheckpoints: 1 }));

      expect(await service.listCheckpoints(PLAN)).toEqual([last]);
      expect(await store.abandoned()).toEqual([]);
      expect(readdirSync(join(storePath, 'refs', 'snapshots'))).toEqual([last.sandboxRef]);
    },
    60_000,
  );

  it('in a rollback lets go of its checkpoints when the plan is over', async () => {
    const { store, storePath, workspace } = await diskSubject();
    const records = join(temporaryDirectory().path, 'records');
    const service = serviceFor(store, workspace.root, new FileCheckpointRepository({ directory: records }));
    await workspace.write('a', 'old');
    const { checkpoint: target } = await service.captureCheckpoint({ planId: PLAN });
    await workspace.write('a', 'new');
    const words = ['--conditions=@cleveragents/source', '--import', 'tsx', SCRIPT];
    const scene = [workspace.root, storePath, records, 'about to restore', target.checkpointId];
    expect(spawnSync(process.execPath, [...words, ...scene]).signal).toBe('SIGKILL');

    const { released } = await service.releasePlan(PLAN);

    expect(released).toHaveLength(2);
    expect(await service.listCheckpoints(PLAN)).toEqual([]);
    expect(readdirSync(join(storePath, 'refs', 'snapshots'))).toEqual([]);
  }, 60_000);
});
