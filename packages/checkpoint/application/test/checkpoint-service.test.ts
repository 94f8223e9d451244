import { describe, expect, it } from '@jest/globals';
import { isUlid } from '@cleveragents/shared-kernel';
import { InMemoryCheckpointRepository } from '@cleveragents/checkpoint-adapter-memory';
import { CheckpointService } from '@cleveragents/checkpoint-application';
import { retentionPolicy } from '@cleveragents/checkpoint-domain';
import { inMemoryPlan, PLAN } from './in-memory-plan.ts';

describe('a service with nothing but a repository', () => {
  const bare = (): CheckpointService =>
    new CheckpointService({ repository: new InMemoryCheckpointRepository() });

  it('records refs under growing ids of its own', async () => {
    const service = bare();
    for (let count = 0; count < 50; count++)
      await service.createCheckpoint({ planId: PLAN, sandboxRef: 'ref' });
    const ids = (await service.listCheckpoints(PLAN)).map(({ checkpointId }) => checkpointId);
    expect(ids.every(isUlid)).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('captures nothing, and says what it lacks', async () => {
    const service = bare();
    service.registerSandbox(PLAN, '/sandbox');
    await expect(service.captureCheckpoint({ planId: PLAN })).rejects.toMatchObject({
      code: 'CHECKPOINT_SUPPORT_MISSING',
    });
  });
});

describe('a captured checkpoint', () => {
  it('names what it does not hold', async () => {
    const plan = inMemoryPlan({ a: 'covered', secret: 'ignored' });
    plan.tree.ignore(['secret']);
    const { checkpoint } = await plan.service.captureCheckpoint({ planId: PLAN, sourceTool: 'shell' });
    expect(checkpoint).toMatchObject({
      metadata: { sourceTool: 'shell' },
      sizeBytes: 'covered'.length,
      coverage: { fileCount: 1, uncoveredCount: 1, uncovered: [{ path: 'secret', reason: 'ignored' }] },
    });
  });

  it('holds ignored files on request', async () => {
    const plan = inMemoryPlan({ secret: 'ignored' });
    plan.tree.ignore(['secret']);
    const { checkpoint } = await plan.service.captureCheckpoint({ planId: PLAN, includeIgnored: ['secret'] });
    expect(checkpoint.coverage).toMatchObject({ fileCount: 1, uncoveredCount: 0 });
  });

  it('is not even begun for input that is wrong, or for a sandbox that is gone', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    plan.snapshots.capture = () => Promise.reject(new Error('must not be asked'));
    await expect(plan.service.captureCheckpoint({ planId: PLAN, decisionId: '' })).rejects.toThrow(
      'decision_id',
    );
    await expect(plan.service.captureCheckpoint({ planId: '' })).rejects.toThrow('plan_id cannot be empty');
    await expect(plan.service.captureCheckpoint({ planId: 'other' })).rejects.toMatchObject({
      code: 'ROLLBACK_SANDBOX_MISSING',
    });
  });

  it('that cannot be recorded leaves no snapshot behind', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const released: string[] = [];
    const release = plan.snapshots.release.bind(plan.snapshots);
    plan.snapshots.release = (refs) => (released.push(...refs), release(refs));
    plan.repository.append = () => Promise.reject(new Error('disk full'));
    await expect(plan.service.captureCheckpoint({ planId: PLAN })).rejects.toThrow('disk full');
    expect(released).toHaveLength(1);
  });
});

describe('dropping checkpoints', () => {
  it('frees the bytes that only they needed', async () => {
    const plan = inMemoryPlan({ stays: 'stays', goes: 'x'.repeat(1000) });
    await plan.capture();
    const second = await plan.capture();
    plan.tree.remove('goes');
    await plan.capture();
    const prunedAll = await plan.service.pruneCheckpoints(PLAN, retentionPolicy({ maxCheckpoints: 1 }));
    expect(prunedAll.pruned).toHaveLength(2);
    expect(prunedAll.freedBytes).toBe(1000);
    await expect(plan.service.getCheckpoint(second)).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' });
  });

  it('never releases a ref that the caller brought, or that another checkpoint still names', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const { ref } = await plan.snapshots.capture('/sandbox');
    const brought = await plan.service.createCheckpoint({ planId: PLAN, sandboxRef: ref });
    await plan.service.deleteCheckpoint(brought.checkpoint.checkpointId);
    expect(await plan.snapshots.uncovered(ref)).toEqual([]);
    const { checkpoint } = await plan.service.captureCheckpoint({ planId: PLAN });
    await plan.service.createCheckpoint({ planId: PLAN, sandboxRef: checkpoint.sandboxRef });
    await plan.service.deleteCheckpoint(checkpoint.checkpointId);
    expect(await plan.snapshots.uncovered(checkpoint.sandboxRef)).toEqual([]);
  });

  it('is left undone for pinned ones', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const ids = [await plan.capture(), await plan.capture(), await plan.capture()];
    await plan.service.pinCheckpoint(ids[1] ?? '');
    await plan.service.pruneCheckpoints(PLAN, retentionPolicy({ maxCheckpoints: 1 }));
    expect((await plan.service.listCheckpoints(PLAN)).map(({ checkpointId }) => checkpointId)).toEqual(
      ids.slice(1),
    );
  });
});

describe('a diff', () => {
  it('shows what changed between two checkpoints, or since one', async () => {
    const plan = inMemoryPlan({ a: 'old' });
    const first = await plan.capture();
    plan.tree.write('b', 'new');
    const second = await plan.capture();
    plan.tree.write('c', 'new');
    const paths = async (from: string, to?: string): Promise<string[]> =>
      (await plan.service.diffCheckpoints(from, to)).map(({ path }) => path);
    expect(await paths(first, second)).toEqual(['b']);
    expect(await paths(first)).toEqual(['b', 'c']);
    expect(await plan.service.listCheckpoints(PLAN)).toHaveLength(2);
  });
});

describe('a plan that is over', () => {
  it('lets go of its checkpoints and their bytes, but of pinned ones', async () => {
    const plan = inMemoryPlan({ a: 'first' });
    const first = await plan.capture();
    plan.tree.write('a', 'second');
    const pinned = await plan.capture({ pinned: true });
    plan.tree.write('a', 'the third');
    const third = await plan.capture();
    const { released, freedBytes } = await plan.service.releasePlan(PLAN);
    expect(released.map(({ checkpointId }) => checkpointId)).toEqual([first, third]);
    expect(freedBytes).toBe('first'.length + 'the third'.length);
    expect((await plan.service.listCheckpoints(PLAN)).map(({ checkpointId }) => checkpointId)).toEqual([
      pinned,
    ]);
    expect(await plan.service.releasePlan('nobody')).toEqual({ released: [], freedBytes: 0 });
  });
});
