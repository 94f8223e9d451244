import { join } from 'node:path';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { removeFolder, temporaryFolder } from '@cleveragents/shared-testing/real-git';
import { isomorphic, native } from './both-engines.ts';
import { play, type Play } from './parity-play.ts';
import { changed, projectTree } from './project-trees.ts';

const scene: fc.Arbitrary<Play> = projectTree.chain((base) =>
  fc.record({
    base: fc.constant(base),
    ours: changed(base),
    theirs: changed(base),
    uncommitted: changed({}),
    stages: fc.boolean(),
  }),
);

/** Plays each scene with both engines, and compares all that they say and leave. */
export async function expectSamePlays(parameters: fc.Parameters<[Play]>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scene, async (one) => {
      const folder = temporaryFolder();
      try {
        const [first, second] = await Promise.all([
          play(isomorphic(), join(folder, 'first'), one),
          play(native(), join(folder, 'second'), one),
        ]);
        expect(second).toEqual(first);
      } finally {
        removeFolder(folder);
      }
    }),
    { endOnFailure: true, ...parameters },
  );
}
