import { describe, expect, it } from '@jest/globals';
import {
  InMemoryCheckpointRepository,
  InMemoryCorrectionLog,
  InMemoryPlanStateGuard,
  InMemorySnapshotStore,
  InMemoryTree,
} from '@cleveragents/checkpoint-adapter-memory';
import { type Checkpoint, checkpointDraft, retentionPolicy } from '@cleveragents/checkpoint-domain';
import {
  checkpointRepositoryContract,
  correctionLogContract,
  snapshotStoreContract,
  type SnapshotStoreSubject,
} from '@cleveragents/checkpoint-ports/contract';
import { parsePlanId } from '@cleveragents/shared-kernel';
import { runContract } from '@cleveragents/shared-testing';

runContract(checkpointRepositoryContract, {
  open: () => ({ repository: new InMemoryCheckpointRepository() }),
  leavesOut: ['shows another process what it holds, and takes what that one adds'],
});
runContract(correctionLogContract, { open: () => new InMemoryCorrectionLog() });
runContract(snapshotStoreContract, { open: openStore });

function openStore(): SnapshotStoreSubject {
  const tree = new InMemoryTree();
  const store = new InMemorySnapshotStore(new Map([['/tree', tree]]));
  const workspace: SnapshotStoreSubject['workspace'] = {
    root: '/tree',
    write: async (path, content, mode) => tree.write(path, content, mode),
    makeDirectory: async (path, mode = 0o755) => {
      if (tree.get(parsePath(path))?.kind !== 'directory') tree.remove(path);
      tree.put(path, { kind: 'directory', mode });
    },
    makeLink: async (path, target) => tree.put(path, { kind: 'link', target }),
    remove: async (path) => tree.remove(path),
    changeMode: async (path, mode) => tree.changeMode(path, mode),
    ignore: async (paths) => tree.ignore(paths),
    describe: async () => Object.fromEntries(tree.entries().map(([path, node]) => [path, described(node)])),
  };
  return { store, workspace };
}

type Node = ReturnType<InMemoryTree['entries']>[number][1];
const parsePath = (path: string): Parameters<InMemoryTree['get']>[0] =>
  path as Parameters<InMemoryTree['get']>[0];

function described(node: Node): string {
  if (node.kind === 'link') return `link ${node.target}`;
  const mode = node.mode.toString(8);
  return node.kind === 'directory'
    ? `directory ${mode}`
    : `file ${mode} ${new TextDecoder('utf-8', { ignoreBOM: true }).decode(node.bytes)}`;
}

const planId = parsePlanId('plan');
const record = (sequence: number): Checkpoint => ({
  ...checkpointDraft(
    { planId, sandboxRef: 'ref' },
    { checkpointId: `seeded by hand ${sequence}`, createdAt: new Date(0) },
  ),
  sequence,
});

describe('a repository that was seeded by hand', () => {
  it('continues the sequence of its records', async () => {
    const repository = new InMemoryCheckpointRepository({ records: [record(7), record(3)] });
    expect((await repository.listByPlan(planId)).map(({ sequence }) => sequence)).toEqual([3, 7]);
    const { sequence: _, ...draft } = record(1);
    expect((await repository.append(draft, retentionPolicy())).checkpoint.sequence).toBe(8);
  });

  it('passes over an index entry without a record', async () => {
    const index = [[planId, [record(1).checkpointId, 'orphan']]] as const;
    const repository = new InMemoryCheckpointRepository({ records: [record(1)], index });
    expect(await repository.listByPlan(planId)).toEqual([record(1)]);
    await expect(repository.get('orphan')).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_FOUND' });
  });

  it('deletes a record that its index does not list', async () => {
    const repository = new InMemoryCheckpointRepository({ records: [record(1)], index: [] });
    expect(await repository.listByPlan(planId)).toEqual([]);
    expect(await repository.delete(record(1).checkpointId)).toEqual(record(1));
    await expect(repository.get(record(1).checkpointId)).rejects.toMatchObject({
      code: 'CHECKPOINT_NOT_FOUND',
    });
  });
});

describe('a plan state guard in memory', () => {
  it('knows what it was told, and of other plans nothing', async () => {
    const guard = new InMemoryPlanStateGuard([['plan', { isApplied: true }]]);
    expect([await guard.isApplied(planId), await guard.sandboxPath(planId)]).toEqual([true, null]);
    guard.set('plan', { sandboxPath: '/sandbox' });
    expect([await guard.isApplied(planId), await guard.sandboxPath(planId)]).toEqual([false, '/sandbox']);
    expect(await guard.isApplied(parsePlanId('other'))).toBe(false);
  });
});
