import assert from 'node:assert/strict';
import {
  type Checkpoint,
  type CheckpointDraft,
  checkpointDraft,
  retentionPolicy,
} from '@cleveragents/checkpoint-domain';
import type { Contract } from '@cleveragents/shared-kernel';
import { parsePlanId } from '@cleveragents/shared-kernel';
import type { CheckpointRepository } from '../checkpoint-repository.ts';

export interface CheckpointRepositorySubject {
  /** Empty at first. */
  readonly repository: CheckpointRepository;
  /** Capability `sharedBetweenProcesses`: the same records through another instance. */
  reopen?(): Promise<CheckpointRepository>;
}
export type CheckpointRepositoryCapability = 'sharedBetweenProcesses';

const PLAN = parsePlanId('plan "one" / ../and more\n');
const OTHER = parsePlanId('PLAN "one" / ../and more\n');
const UNLIMITED = retentionPolicy({ autoPrune: false });

/** The n-th id that a generator would make. */
const idOf = (number: number): string => `01ARZ3NDEKTSV4RRFFQ6${String(number).padStart(6, '0')}`;

function draft(number: number, more: object = {}): CheckpointDraft {
  return checkpointDraft(
    { planId: PLAN, sandboxRef: `ref-${number}`, ...more },
    { checkpointId: idOf(number), createdAt: new Date(0) },
  );
}

async function filled(
  { repository }: CheckpointRepositorySubject,
  count: number,
): Promise<CheckpointRepository> {
  for (let number = 1; number <= count; number++) await repository.append(draft(number), UNLIMITED);
  return repository;
}

const idsOf = (checkpoints: readonly Checkpoint[]): string[] =>
  checkpoints.map(({ checkpointId }) => checkpointId);

export const checkpointRepositoryContract: Contract<
  CheckpointRepositorySubject,
  CheckpointRepositoryCapability
> = {
  name: 'CheckpointRepository',
  cases: [
    {
      name: 'returns what was appended, every member of it',
      run: async ({ repository }) => {
        const full = draft(1, {
          reason: 'why',
          sourceTool: 'tool',
          phase: 'execute',
          decisionId: 'D',
          resourceId: 'R',
          filesystemPath: 'snapshots/cp001',
          sizeBytes: 4096,
          pinned: true,
          checkpointType: 'pre_write',
        });
        const { checkpoint, pruned } = await repository.append(full, UNLIMITED);
        assert.deepEqual(checkpoint, { ...full, sequence: 1 });
        assert.deepEqual(pruned, []);
        assert.deepEqual(await repository.get(idOf(1)), checkpoint);
      },
    },
    {
      name: 'lists oldest first by sequence, whatever the clock or the ids say',
      run: async ({ repository }) => {
        for (const number of [2, 3, 1]) await repository.append(draft(number), UNLIMITED);
        const listed = await repository.listByPlan(PLAN);
        assert.deepEqual(idsOf(listed), [2, 3, 1].map(idOf));
        assert.ok(listed.every(({ sequence }, at) => at === 0 || sequence > (listed[at - 1]?.sequence ?? 0)));
      },
    },
    {
      name: 'keeps the plans apart, also where their names look alike',
      run: async (subject) => {
        const repository = await filled(subject, 2);
        await repository.append(draft(3, { planId: OTHER }), UNLIMITED);
        assert.deepEqual(idsOf(await repository.listByPlan(PLAN)), [1, 2].map(idOf));
        assert.deepEqual(idsOf(await repository.listByPlan(OTHER)), [idOf(3)]);
        assert.deepEqual(await repository.listByPlan(parsePlanId('unknown')), []);
      },
    },
    {
      name: 'refuses a taken id and leaves everything as it was',
      run: async (subject) => {
        const repository = await filled(subject, 2);
        await assert.rejects(
          repository.append(draft(1, { sandboxRef: 'another' }), retentionPolicy({ maxCheckpoints: 1 })),
          { code: 'CHECKPOINT_ALREADY_EXISTS' },
        );
        assert.equal((await repository.get(idOf(1))).sandboxRef, 'ref-1');
        assert.equal((await repository.listByPlan(PLAN)).length, 2);
      },
    },
    {
      name: 'refuses an id that is taken by another plan',
      run: async (subject) => {
        const repository = await filled(subject, 1);
        await assert.rejects(repository.append(draft(1, { planId: OTHER }), UNLIMITED), {
          code: 'CHECKPOINT_ALREADY_EXISTS',
        });
      },
    },
    ...['01NONEXISTENT0000000000000', '', '../../etc/passwd', 'a\0b', 'x'.repeat(5000)].map((unknown) => ({
      name: `says not found of the id ${JSON.stringify(unknown.slice(0, 40))}`,
      run: async (subject: CheckpointRepositorySubject): Promise<void> => {
        const repository = await filled(subject, 1);
        const notFound = { code: 'CHECKPOINT_NOT_FOUND' };
        await assert.rejects(repository.get(unknown), notFound);
        await assert.rejects(repository.delete(unknown), notFound);
        await assert.rejects(repository.update(unknown, { pinned: true }), notFound);
        assert.equal((await repository.listByPlan(PLAN)).length, 1);
      },
    })),
    {
      name: 'deletes exactly one',
      run: async (subject) => {
        const repository = await filled(subject, 3);
        assert.equal((await repository.delete(idOf(2))).sandboxRef, 'ref-2');
        assert.deepEqual(idsOf(await repository.listByPlan(PLAN)), [1, 3].map(idOf));
        await assert.rejects(repository.get(idOf(2)), { code: 'CHECKPOINT_NOT_FOUND' });
        await assert.rejects(repository.delete(idOf(2)), { code: 'CHECKPOINT_NOT_FOUND' });
      },
    },
    {
      name: 'never gives a sequence twice, also after the newest was deleted',
      run: async (subject) => {
        const repository = await filled(subject, 3);
        const newest = await repository.get(idOf(3));
        await repository.delete(idOf(3));
        const { checkpoint } = await repository.append(draft(4), UNLIMITED);
        assert.ok(checkpoint.sequence > newest.sequence);
      },
    },
    {
      name: 'prunes by the policy and returns what went, oldest first',
      run: async (subject) => {
        const repository = await filled(subject, 5);
        const pruned = await repository.prune(PLAN, retentionPolicy({ maxCheckpoints: 2 }));
        assert.deepEqual(idsOf(pruned), [2, 3, 4].map(idOf));
        assert.deepEqual(idsOf(await repository.listByPlan(PLAN)), [1, 5].map(idOf));
        assert.deepEqual(await repository.prune(PLAN, UNLIMITED), []);
      },
    },
    {
      name: 'prunes together with an append: 10 and one more at a maximum of 5 prunes 6',
      run: async (subject) => {
        const repository = await filled(subject, 10);
        const { checkpoint, pruned } = await repository.append(
          draft(11),
          retentionPolicy({ maxCheckpoints: 5 }),
        );
        assert.equal(pruned.length, 6);
        const left = await repository.listByPlan(PLAN);
        assert.deepEqual([left.length, left[0]?.checkpointId, left.at(-1)], [5, idOf(1), checkpoint]);
      },
    },
    {
      name: 'changes what an update names, and retention obeys it',
      run: async (subject) => {
        const repository = await filled(subject, 4);
        const rollback = { targetCheckpointId: idOf(2), isUnderWay: true };
        await repository.append({ ...draft(5), rollback }, UNLIMITED);
        await repository.append(draft(6), UNLIMITED);
        assert.equal((await repository.update(idOf(3), { pinned: true })).pinned, true);
        await repository.prune(PLAN, retentionPolicy({ maxCheckpoints: 1 }));
        assert.deepEqual(idsOf(await repository.listByPlan(PLAN)), [2, 3, 5, 6].map(idOf));
        const over = await repository.update(idOf(5), { isRollbackUnderWay: false });
        assert.deepEqual(over.rollback, { ...rollback, isUnderWay: false });
        await repository.update(idOf(3), { pinned: false });
        await repository.prune(PLAN, retentionPolicy({ maxCheckpoints: 1 }));
        assert.deepEqual(idsOf(await repository.listByPlan(PLAN)), [idOf(6)]);
      },
    },
    {
      name: 'gives simultaneous appends one sequence each and loses none',
      run: async ({ repository }) => {
        const numbers = Array.from({ length: 20 }, (_, at) => at + 1);
        const appended = await Promise.all(
          numbers.map((number) => repository.append(draft(number), retentionPolicy({ maxCheckpoints: 8 }))),
        );
        assert.equal(new Set(appended.map(({ checkpoint }) => checkpoint.sequence)).size, 20);
        const left = await repository.listByPlan(PLAN);
        const pruned = appended.flatMap((one) => idsOf(one.pruned));
        assert.equal(left.length, 8);
        assert.deepEqual([...pruned, ...idsOf(left)].sort(), numbers.map(idOf).sort());
      },
    },
    {
      name: 'shows another process what it holds, and takes what that one adds',
      requires: ['sharedBetweenProcesses'],
      run: async (subject) => {
        const repository = await filled(subject, 2);
        const other = await subject.reopen?.();
        assert.ok(other !== undefined, 'the capability needs reopen()');
        assert.deepEqual(await other.listByPlan(PLAN), await repository.listByPlan(PLAN));
        await other.append(draft(3), UNLIMITED);
        assert.deepEqual(idsOf(await repository.listByPlan(PLAN)), [1, 2, 3].map(idOf));
      },
    },
  ],
};
