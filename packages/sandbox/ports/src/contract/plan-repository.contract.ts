import assert from 'node:assert/strict';
import { type Contract, parsePlanId } from '@cleveragents/shared-kernel';
import { newPlan, type PlanRecord, recorded } from '@cleveragents/sandbox-domain';
import type { PlanRepository } from '../plan-repository.ts';

export interface PlanRepositorySubject {
  readonly plans: PlanRepository;
  /** The same store, as another process would open it. */
  reopen(): PlanRepository;
}

const AT = new Date('2026-04-09T17:30:00.000Z');

function plan(planId: string, at = AT): PlanRecord {
  const resource = { resourceId: 'app', type: 'git-checkout', path: '/projects/app', project: 'local/app' };
  return newPlan(
    parsePlanId(planId),
    resource,
    { status: 'pending', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
    at,
  );
}

/** What every store of plans does. */
export const planRepositoryContract: Contract<PlanRepositorySubject> = {
  name: 'PlanRepository',
  cases: [
    {
      name: 'knows no plan that was never saved',
      async run({ plans }) {
        assert.equal(await plans.load(parsePlanId('unknown')), null);
        assert.deepEqual(await plans.list(), { plans: [], unreadable: [] });
      },
    },
    {
      name: 'gives back what was saved, also to another process',
      async run({ plans, reopen }) {
        await plans.save(plan('a'));
        assert.deepEqual(await reopen().load(parsePlanId('a')), plan('a'));
      },
    },
    {
      name: 'keeps fields that a newer version wrote',
      async run({ plans }) {
        const extended = {
          ...plan('a'),
          colour: 'green',
          resource: { ...plan('a').resource, host: 'build-1' },
        };
        await plans.save(extended);
        assert.deepEqual(await plans.load(parsePlanId('a')), extended);
      },
    },
    {
      name: 'replaces a record as a whole',
      async run({ plans }) {
        const event = { at: AT.toISOString(), kind: 'executed' as const, detail: 'npm test' };
        await plans.save(recorded(plan('a'), event));
        await plans.save(plan('a'));
        assert.deepEqual(await plans.load(parsePlanId('a')), plan('a'));
      },
    },
    {
      name: 'is not changed by what happens to a saved value afterwards',
      async run({ plans }) {
        const mutable = { ...plan('a'), rescueRefs: ['refs/cleveragents/rescue/a/1'] };
        await plans.save(mutable);
        mutable.rescueRefs.push('refs/cleveragents/rescue/a/2');
        assert.deepEqual((await plans.load(parsePlanId('a')))?.rescueRefs, ['refs/cleveragents/rescue/a/1']);
      },
    },
    {
      name: 'keeps plans apart whose ids look alike',
      async run({ plans }) {
        const ids = [
          'a',
          'A',
          'a/b',
          'a..b',
          'a b',
          '../a',
          '.',
          '🙂',
          'x'.repeat(300),
          'constructor',
          '__proto__',
        ];
        for (const id of ids) await plans.save(plan(id));
        for (const id of ids) assert.equal((await plans.load(parsePlanId(id)))?.planId, id);
        assert.equal((await plans.list()).plans.length, ids.length);
      },
    },
    {
      name: 'lists by creation time, then by id',
      async run({ plans }) {
        await plans.save(plan('late', new Date('2026-04-10T00:00:00.000Z')));
        await plans.save(plan('b'));
        await plans.save(plan('a'));
        assert.deepEqual(
          (await plans.list()).plans.map(({ planId }) => planId),
          ['a', 'b', 'late'],
        );
      },
    },
    {
      name: 'forgets a deleted plan, and does not mind one that is not there',
      async run({ plans }) {
        await plans.save(plan('a'));
        await plans.delete(parsePlanId('a'));
        await plans.delete(parsePlanId('a'));
        assert.equal(await plans.load(parsePlanId('a')), null);
      },
    },
    {
      name: 'runs one work at a time for one plan',
      async run({ plans }) {
        const id = parsePlanId('a');
        await plans.save(plan('a'));
        const addEvent = (detail: string): Promise<void> =>
          plans.withPlanLock(id, async () => {
            const before = await plans.load(id);
            assert.ok(before);
            await plans.save(recorded(before, { at: AT.toISOString(), kind: 'executed', detail }));
          });
        await Promise.all(['1', '2', '3', '4', '5', '6', '7', '8'].map(addEvent));
        assert.equal((await plans.load(id))?.history.length, 8);
      },
    },
    {
      name: 'frees the lock when the work fails, and passes its error and its value on',
      async run({ plans }) {
        const id = parsePlanId('a');
        await assert.rejects(
          plans.withPlanLock(id, () => Promise.reject(new Error('work failed'))),
          /work failed/,
        );
        assert.equal(await plans.withPlanLock(id, () => Promise.resolve(7)), 7);
      },
    },
    {
      name: 'knows the work that goes on, until it is over, also what another process began',
      async run({ plans, reopen }) {
        const id = parsePlanId('a/b');
        assert.deepEqual(await plans.listWork(id), []);
        const end = await plans.beginWork(id, 'npm test');
        const endOther = await reopen().beginWork(id, 'an agent');
        assert.deepEqual(await plans.listWork(id), ['an agent', 'npm test']);
        assert.deepEqual(await plans.listWork(parsePlanId('a')), []);
        await end();
        await end();
        assert.deepEqual(await reopen().listWork(id), ['an agent']);
        await endOther();
        assert.deepEqual(await plans.listWork(id), []);
        assert.deepEqual(await plans.list(), { plans: [], unreadable: [] });
      },
    },
    {
      name: 'tells of no lock that nobody holds, and frees none that is not its own',
      async run({ plans }) {
        await plans.withPlanLock(parsePlanId('a'), () => Promise.resolve());
        assert.equal((await plans.listLocks()).length, 0);
        assert.equal(await plans.freeLock('/elsewhere/a.lock'), false);
      },
    },
    {
      name: 'puts no record aside that can be read, or is not there',
      async run({ plans }) {
        await plans.save(plan('a'));
        assert.equal(await plans.putAside(`${plan('a').key}.json`), null);
        assert.equal(await plans.putAside('unknown.json'), null);
        assert.deepEqual(await plans.load(parsePlanId('a')), plan('a'));
      },
    },
  ],
};
