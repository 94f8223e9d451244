import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { diskSubject } from '../support/disk-workspace.ts';
import { PLAN, serviceFor } from '../support/plan-on-disk.ts';

const path = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/e', 'd/e/f', 'd/e/g', 'h/i', 'caf\u00e9', 'cafe\u0301');
const weighted = <T>(
  weight: number,
  arbitrary: fc.Arbitrary<T>,
): { weight: number; arbitrary: fc.Arbitrary<T> } => ({
  weight,
  arbitrary,
});
const step = fc.oneof(
  weighted(
    6,
    fc.record({
      do: fc.constant('write' as const),
      path,
      content: fc.string({ maxLength: 3 }),
      mode: fc.constantFrom(0o644, 0o755, 0o600),
    }),
  ),
  weighted(2, fc.record({ do: fc.constant('remove' as const), path })),
  weighted(1, fc.record({ do: fc.constant('link' as const), path })),
  weighted(
    1,
    fc.record({ do: fc.constant('directory' as const), path, mode: fc.constantFrom(0o755, 0o700) }),
  ),
  weighted(3, fc.record({ do: fc.constant('capture' as const) })),
  weighted(3, fc.record({ do: fc.constant('roll back' as const), which: fc.nat() })),
  weighted(1, fc.record({ do: fc.constant('prune' as const) })),
);

it('every rollback of a random walk on disk equals a copy of the whole tree, and can be undone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 30 }),
      fc.boolean(),
      async (steps, useHints) => {
        const subject = await diskSubject();
        const { store, workspace } = subject;
        const service = serviceFor(store, workspace.root);
        const copies = new Map<string, Readonly<Record<string, string>>>();
        let changed: string[] = [];
        const hints = (): { changedPaths?: string[] } =>
          useHints ? { changedPaths: changed.splice(0) } : {};
        const capture = async (): Promise<void> => {
          const { checkpoint } = await service.captureCheckpoint({ planId: PLAN, ...hints() });
          copies.set(checkpoint.checkpointId, await workspace.describe());
        };
        await capture();
        for (const one of steps) {
          if ('path' in one) changed.push(one.path);
          if (one.do === 'write') await workspace.write(one.path, one.content, one.mode);
          else if (one.do === 'remove') await workspace.remove(one.path);
          else if (one.do === 'link') await workspace.makeLink(one.path, 'a');
          else if (one.do === 'directory') await workspace.makeDirectory(one.path, one.mode);
          else if (one.do === 'capture') await capture();
          else if (one.do === 'prune') {
            const { pruned } = await service.pruneCheckpoints(PLAN, { maxCheckpoints: 4, autoPrune: true });
            for (const { checkpointId } of pruned) copies.delete(checkpointId);
          } else {
            const ids = [...copies.keys()];
            const target = ids[one.which % ids.length] ?? '';
            const before = await workspace.describe();
            const result = await service.rollbackToCheckpoint(PLAN, target, hints());
            changed = [];
            copies.set(result.safetyCheckpointId ?? '', before);
            expect(await workspace.describe()).toEqual(copies.get(target));
          }
        }
        await subject.close();
      },
    ),
    { numRuns: 100 },
  );
}, 1_800_000);
