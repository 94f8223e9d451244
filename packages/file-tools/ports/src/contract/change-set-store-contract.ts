import { deepStrictEqual } from 'node:assert/strict';
import type { ChangeEntry } from '@cleveragents/file-tools-domain';
import type { Contract } from '@cleveragents/shared-kernel';
import { parsePlanId } from '@cleveragents/shared-kernel';
import type { ChangeSetStore } from '../change-set-store.ts';

export interface ChangeSetStoreSubject {
  readonly store: ChangeSetStore;
  /** Another one on the same place, as another process would have it. Needs capability `sharedBetweenProcesses`. */
  reopen(): Promise<ChangeSetStore>;
}

export type ChangeSetStoreCapability = 'sharedBetweenProcesses';

const planId = parsePlanId('a plan');

function entry(path: string): ChangeEntry {
  return {
    path,
    operation: 'modify',
    beforeHash: '1'.repeat(64),
    afterHash: null,
    beforeMode: 0o644,
    afterMode: 0o755,
    sizeBefore: 0,
    sizeAfter: 1e12,
    toolName: 'builtin/file-write',
    at: '2026-01-02T03:04:05.678Z',
  };
}

const pathsIn = async (store: ChangeSetStore, plan = planId): Promise<string[]> =>
  (await store.load(plan)).map(({ path }) => path);

export const changeSetStoreContract: Contract<ChangeSetStoreSubject, ChangeSetStoreCapability> = {
  name: 'ChangeSetStore',
  cases: [
    {
      name: 'has nothing of a plan it does not know, and clears it without complaint',
      async run({ store }) {
        deepStrictEqual([...(await store.load(planId))], []);
        await store.clear(planId);
      },
    },
    {
      name: 'gives back every entry whole, in order',
      async run({ store }) {
        const entries = ['b', 'a\n"\u2028🙂', 'b'].map(entry);
        await store.append(planId, entries.slice(0, 2));
        await store.append(planId, entries.slice(2));
        deepStrictEqual([...(await store.load(planId))], entries);
      },
    },
    {
      name: 'keeps plans apart, whatever they are called',
      async run({ store }) {
        const names = ['x', 'X', '../x', 'x/y', ' ', 'x\0'].map(parsePlanId);
        for (const name of names) await store.append(name, [entry(name)]);
        for (const name of names) deepStrictEqual(await pathsIn(store, name), [name]);
      },
    },
    {
      name: 'forgets a plan that is cleared, and no other',
      async run({ store }) {
        const other = parsePlanId('another plan');
        await store.append(planId, [entry('a')]);
        await store.append(other, [entry('b')]);
        await store.clear(planId);
        deepStrictEqual([await pathsIn(store), await pathsIn(store, other)], [[], ['b']]);
      },
    },
    {
      name: 'keeps the entries of many writers at once',
      async run({ store }) {
        const paths = Array.from({ length: 20 }, (_, index) => `file-${index}`);
        await Promise.all(paths.map((path) => store.append(planId, [entry(path)])));
        deepStrictEqual((await pathsIn(store)).sort(), paths.sort());
      },
    },
    {
      name: 'survives the process',
      requires: ['sharedBetweenProcesses'],
      async run({ store, reopen }) {
        await store.append(planId, [entry('a')]);
        const again = await reopen();
        deepStrictEqual(await pathsIn(again), ['a']);
        await again.append(planId, [entry('b')]);
        deepStrictEqual(await pathsIn(store), ['a', 'b']);
      },
    },
  ],
};
