import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { InMemoryTree } from '@cleveragents/checkpoint-adapter-memory';
import { CheckpointService } from '@cleveragents/checkpoint-application';
import { filesOf, inMemoryPlan, PLAN, ROOT } from './in-memory-plan.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a rollback', () => {
  it('brings the files back, and names exactly what it changed', async () => {
    const plan = inMemoryPlan({ changed: 'old', deleted: 'old', same: 'same' });
    const checkpoint = await plan.capture();
    plan.tree.write('changed', 'new');
    plan.tree.remove('deleted');
    plan.tree.write('dir/added', 'new');
    const result = await plan.service.rollbackToCheckpoint(PLAN, checkpoint);
    expect(plan.files()).toEqual({ changed: 'old', deleted: 'old', same: 'same' });
    expect(result).toMatchObject({
      fromCheckpointId: checkpoint,
      restoredFilesCount: 3,
      restoredFiles: ['changed', 'deleted', 'dir/added'],
      keptFiles: [],
    });
  });

  it('takes a safety checkpoint first, and can itself be rolled back', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.write('a', 'new');
    plan.tree.write('b', 'new');
    const { safetyCheckpointId } = await plan.service.rollbackToCheckpoint(PLAN, checkpoint);
    const safety = await plan.service.getCheckpoint(safetyCheckpointId ?? '');
    expect(safety).toMatchObject({
      checkpointType: 'pre_rollback',
      metadata: { reason: `before rollback to ${checkpoint}` },
    });
    expect(safety.rollback).toEqual({ targetCheckpointId: checkpoint, isUnderWay: false });
    await plan.service.rollbackToCheckpoint(PLAN, safety.checkpointId);
    expect(plan.files()).toEqual({ a: 'new', b: 'new' });
  });

  it('can be rolled back also where it brought something that is ignored by now', async () => {
    const plan = inMemoryPlan({ out: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.ignore(['out']);
    plan.tree.remove('out');
    const { safetyCheckpointId } = await plan.service.rollbackToCheckpoint(PLAN, checkpoint);
    expect(plan.files()).toEqual({ out: 'old' });
    await plan.service.rollbackToCheckpoint(PLAN, safetyCheckpointId ?? '');
    expect(plan.files()).toEqual({});
  });

  it('keeps what no snapshot holds, and says why', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    plan.tree.ignore(['.env']);
    const checkpoint = await plan.capture();
    plan.tree.write('.env', 'secret');
    const result = await plan.service.rollbackToCheckpoint(PLAN, checkpoint);
    expect(result.keptFiles).toEqual([{ path: '.env', reason: 'ignored' }]);
    expect(plan.files()).toEqual({ '.env': 'secret', a: 'old' });
  });

  it('only rehearsed changes nothing and records nothing', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.write('a', 'new');
    const result = await plan.service.rollbackToCheckpoint(PLAN, checkpoint, { dryRun: true });
    expect(result).toMatchObject({ restoredFiles: ['a'], safetyCheckpointId: null });
    expect(result.plan?.steps.map(({ path }) => path)).toEqual(['a']);
    expect(plan.files()).toEqual({ a: 'new' });
    expect(await plan.service.listCheckpoints(PLAN)).toHaveLength(1);
  });

  it('refuses when it is no longer the one that was rehearsed, unless forced', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.write('a', 'new');
    const rehearsed = await plan.service.rollbackToCheckpoint(PLAN, checkpoint, { dryRun: true });
    plan.tree.write('a', 'newer');
    const expectedFingerprint = rehearsed.plan?.fingerprint;
    await expect(
      plan.service.rollbackToCheckpoint(PLAN, checkpoint, { expectedFingerprint }),
    ).rejects.toMatchObject({ code: 'ROLLBACK_TREE_MOVED' });
    expect(plan.files()).toEqual({ a: 'newer' });
    expect(await plan.service.listCheckpoints(PLAN)).toHaveLength(1);
    const forced = { expectedFingerprint, force: true };
    await plan.service.rollbackToCheckpoint(PLAN, checkpoint, forced);
    expect(plan.files()).toEqual({ a: 'old' });
  });

  it('narrowed to paths leaves the others', async () => {
    const plan = inMemoryPlan({ 'd/a': 'old', b: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.write('d/a', 'new');
    plan.tree.write('b', 'new');
    const result = await plan.service.rollbackToCheckpoint(PLAN, checkpoint, { paths: ['d/'] });
    expect(result.restoredFiles).toEqual(['d/a']);
    expect(plan.files()).toEqual({ b: 'new', d: '755/', 'd/a': 'old' });
  });

  it("of scope 'change-set' restores what the tools left and keeps what somebody else wrote", async () => {
    const plan = inMemoryPlan({ tool: 'old', both: 'old', user: 'old', gone: 'old' });
    const checkpoint = await plan.capture();
    for (const path of ['tool', 'both', 'user']) plan.tree.write(path, 'new');
    plan.tree.write('made', 'by a tool');
    plan.tree.remove('gone');
    const changeSet = [
      { path: 'tool', afterHash: sha256('first') },
      { path: 'tool', afterHash: sha256('new') },
      { path: 'both', afterHash: sha256('before the user came') },
      { path: 'made', afterHash: sha256('by a tool') },
      { path: 'gone', afterHash: null },
    ];
    const result = await plan.service.rollbackToCheckpoint(PLAN, checkpoint, {
      scope: 'change-set',
      changeSet,
    });
    expect(result.restoredFiles).toEqual(['gone', 'made', 'tool']);
    expect(result.keptFiles).toEqual([
      { path: 'both', reason: 'changed-since-written' },
      { path: 'user', reason: 'not-written-by-tools' },
    ]);
    expect(plan.files()).toEqual({ both: 'new', gone: 'old', tool: 'old', user: 'new' });
  });

  it.each([{ paths: ['../x'] }, { changedPaths: ['/etc'] }])(
    'refuses %j before it records anything',
    async (options) => {
      const plan = inMemoryPlan({ a: 'old' });
      const checkpoint = await plan.capture();
      await expect(plan.service.rollbackToCheckpoint(PLAN, checkpoint, options)).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
      expect(await plan.service.listCheckpoints(PLAN)).toHaveLength(1);
    },
  );

  it('keeps its target, and its safety checkpoint, when another process prunes meanwhile', async () => {
    const plan = inMemoryPlan({ a: '1' });
    await plan.capture();
    plan.tree.write('a', '2');
    const target = await plan.capture();
    for (const content of ['3', '4', '5']) {
      plan.tree.write('a', content);
      await plan.capture();
    }
    const restore = plan.snapshots.restore.bind(plan.snapshots);
    plan.snapshots.restore = async (root, steps) => {
      await plan.service.pruneCheckpoints(PLAN, { maxCheckpoints: 1, autoPrune: true });
      await restore(root, steps);
    };
    const result = await plan.service.rollbackToCheckpoint(PLAN, target);
    expect(plan.files()).toEqual({ a: '2' });
    expect((await plan.service.listCheckpoints(PLAN)).map(({ checkpointId }) => checkpointId)).toEqual([
      target,
      result.safetyCheckpointId,
    ]);
  });

  it('that failed halfway for an unknown reason leaves its safety checkpoint', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.write('a', 'new');
    plan.snapshots.restore = () => Promise.reject(new Error('disk on fire'));
    await expect(plan.service.rollbackToCheckpoint(PLAN, checkpoint)).rejects.toThrow('disk on fire');
    const [, safety] = await plan.service.listCheckpoints(PLAN);
    expect(safety).toMatchObject({ checkpointType: 'pre_rollback' });
    expect(safety?.rollback?.isUnderWay).toBe(false);
  });
});

describe('a rollback that nobody waits for any more', () => {
  const reason = new Error('nobody waits');

  it.each(['before it begins', 'once its safety checkpoint is taken'])(
    'changes nothing when that is said %s',
    async (when) => {
      const plan = inMemoryPlan({ a: 'old' });
      const checkpoint = await plan.capture();
      plan.tree.write('a', 'new');
      const controller = new AbortController();
      const diff = plan.snapshots.diff.bind(plan.snapshots);
      plan.snapshots.diff = (...refs) => {
        controller.abort(reason);
        return diff(...refs);
      };
      if (when === 'before it begins') controller.abort(reason);
      const rollback = plan.service.rollbackToCheckpoint(PLAN, checkpoint, { signal: controller.signal });
      await expect(rollback).rejects.toBe(reason);
      expect(plan.files()).toEqual({ a: 'new' });
      expect(await plan.service.listCheckpoints(PLAN)).toHaveLength(1);
    },
  );

  it('goes on to its end when that is said after the first write', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.write('a', 'new');
    const controller = new AbortController();
    const restore = plan.snapshots.restore.bind(plan.snapshots);
    plan.snapshots.restore = async (...steps) => {
      controller.abort(reason);
      await restore(...steps);
    };
    await plan.service.rollbackToCheckpoint(PLAN, checkpoint, { signal: controller.signal });
    expect(plan.files()).toEqual({ a: 'old' });
  });
});

describe('a rollback of chosen paths', () => {
  it.each(['same', 'dir', 'dir/same', 'ignored', 'ignored/below'])(
    'has nothing to do for %s, which is as it was',
    async (path) => {
      const plan = inMemoryPlan({ same: 'same', 'dir/same': 'same', changed: 'old' });
      plan.tree.ignore(['ignored']);
      plan.tree.write('ignored/below', 'x');
      const checkpoint = await plan.capture();
      plan.tree.write('changed', 'new');
      const result = await plan.service.rollbackToCheckpoint(PLAN, checkpoint, { paths: [path] });
      expect(result.restoredFiles).toEqual([]);
      expect(plan.files()).toMatchObject({ changed: 'new' });
    },
  );
});

it('a rollback whose end cannot be recorded has happened all the same', async () => {
  const plan = inMemoryPlan({ a: 'old' });
  const checkpoint = await plan.capture();
  plan.tree.write('a', 'new');
  plan.repository.update = () => Promise.reject(Object.assign(new Error('disk full'), { code: 'ENOSPC' }));
  const { safetyCheckpointId } = await plan.service.rollbackToCheckpoint(PLAN, checkpoint);
  expect(plan.files()).toEqual({ a: 'old' });
  expect(await plan.service.getCheckpoint(safetyCheckpointId ?? '')).toMatchObject({
    rollback: { isUnderWay: true },
  });
});

describe('a rollback is refused', () => {
  it.each([
    ['nope', {}],
    ['dir/nope', {}],
    ['same/below', {}],
    ['nope', { dryRun: true }],
  ])('for a path that is in neither state: %s %j', async (path, more) => {
    const plan = inMemoryPlan({ same: 'same', 'dir/same': 'same', a: 'old' });
    const checkpoint = await plan.capture();
    plan.tree.write('a', 'new');
    const options = { paths: ['a', path], ...more };
    await expect(plan.service.rollbackToCheckpoint(PLAN, checkpoint, options)).rejects.toMatchObject({
      code: 'ROLLBACK_PATH_UNKNOWN',
      message: expect.stringContaining(JSON.stringify(path)),
      data: { paths: [path] },
    });
    expect(plan.files()).toMatchObject({ a: 'new' });
    expect(await plan.service.listCheckpoints(PLAN)).toHaveLength(1);
  });

  it.each([
    ['CHECKPOINT_NOT_FOUND', 'unknown', {}],
    ['ROLLBACK_PLAN_APPLIED', 'known', { isApplied: true }],
    ['ROLLBACK_SANDBOX_MISSING', 'known', {}],
    ['ROLLBACK_SANDBOX_MISSING', 'known', { sandboxPath: '/gone' }],
  ])('with %s', async (code, which, state) => {
    const plan = inMemoryPlan({ a: 'old' });
    const checkpoint = await plan.capture();
    plan.guard.set(PLAN, state);
    await expect(
      plan.service.rollbackToCheckpoint(PLAN, which === 'known' ? checkpoint : which),
    ).rejects.toMatchObject({ code });
  });

  it('to a checkpoint of another plan', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const checkpoint = await plan.capture();
    plan.service.registerSandbox('other', ROOT);
    await expect(plan.service.rollbackToCheckpoint('other', checkpoint)).rejects.toMatchObject({
      code: 'ROLLBACK_WRONG_PLAN',
      message: expect.stringContaining('does not belong to plan'),
    });
  });

  it('to a ref that no store knows, and nothing is recorded', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const { checkpoint } = await plan.service.createCheckpoint({ planId: PLAN, sandboxRef: 'elsewhere' });
    const bare = new CheckpointService({ repository: plan.repository });
    bare.registerSandbox(PLAN, ROOT);
    for (const service of [plan.service, bare])
      await expect(service.rollbackToCheckpoint(PLAN, checkpoint.checkpointId)).rejects.toMatchObject({
        code: 'CHECKPOINT_NOT_RESTORABLE',
      });
    expect(await plan.service.listCheckpoints(PLAN)).toEqual([checkpoint]);
  });
});

describe('a lost sandbox', () => {
  it('is filled from the newest checkpoint that can be restored', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const captured = await plan.capture();
    await plan.service.createCheckpoint({ planId: PLAN, sandboxRef: 'elsewhere' });
    const fresh = new InMemoryTree();
    plan.trees.set(ROOT, fresh);
    expect((await plan.service.restoreSandbox(PLAN)).checkpointId).toBe(captured);
    expect(filesOf(fresh)).toEqual({ a: 'old' });
  });

  it('is not filled over files that are there', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    await plan.capture();
    await expect(plan.service.restoreSandbox(PLAN)).rejects.toMatchObject({ code: 'SANDBOX_NOT_EMPTY' });
  });
});
