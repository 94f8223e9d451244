import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filesOf, inMemoryPlan, PLAN } from './in-memory-plan.ts';

const path = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/e', 'd/e/f', 'ignored', 'd/ignored');
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('write' as const), path, content: fc.string({ maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('link' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('directory' as const), path }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('capture' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('roll back' as const), which: fc.nat() }) },
);
const withoutIgnored = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([one]) => !one.split('/').includes('ignored')));
const onlyIgnored = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([one]) => one.split('/').includes('ignored')));

it('every rollback of a random walk brings back a copy of the whole tree, leaves ignored files, and can be undone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const plan = inMemoryPlan({ a: 'first' });
      plan.tree.ignore(['ignored', 'd/ignored']);
      const copies = new Map([[await plan.capture(), plan.files()]]);
      for (const one of steps) {
        if (one.do === 'write') plan.tree.write(one.path, one.content);
        else if (one.do === 'remove') plan.tree.remove(one.path);
        else if (one.do === 'link') plan.tree.put(one.path, { kind: 'link', target: 'a' });
        else if (one.do === 'directory') plan.tree.put(one.path, { kind: 'directory', mode: 0o700 });
        else if (one.do === 'capture') copies.set(await plan.capture(), plan.files());
        else {
          const ids = [...copies.keys()];
          const target = ids[one.which % ids.length] ?? '';
          const before = filesOf(plan.tree);
          const result = await plan.service.rollbackToCheckpoint(PLAN, target);
          copies.set(result.safetyCheckpointId ?? '', before);
          const isWhole = result.keptFiles.every(({ reason }) => reason === 'ignored');
          if (isWhole) expect(withoutIgnored(plan.files())).toEqual(withoutIgnored(copies.get(target) ?? {}));
          expect(onlyIgnored(plan.files())).toEqual(onlyIgnored(before));
        }
      }
    }),
    { numRuns: 100 },
  );
});
