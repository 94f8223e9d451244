import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemoryObjects } from './support/memory-objects.ts';
import {
  compareMerges,
  isFalselyClean,
  type MergeCase,
  putBranches,
  putCrissCross,
  treeOf,
} from './support/merge-parity.ts';
import { crissCross, projectBranches } from './support/project-arbitraries.ts';
import { divergedTrees, oddTriples } from './support/tree-arbitraries.ts';

/** Fixed seeds, because git is asked about all cases at once; the torture suite draws others each time. */
const drawn = <T>(arbitrary: fc.Arbitrary<T>, seed: number, numRuns: number): readonly T[] =>
  fc.sample(arbitrary, { seed, numRuns });

async function verdicts(
  objects: MemoryObjects,
  cases: readonly MergeCase[],
): Promise<{ own: unknown[]; git: unknown[]; clean: number; conflicts: number }> {
  const compared = (await compareMerges(objects, cases)).filter(
    (one) => one.git !== 'failed' && !isFalselyClean(one),
  );
  const ownVerdict = (kind: string): string => (kind === 'conflicts' ? 'conflicts' : 'clean');
  return {
    own: compared.map(({ own, git }) => [
      ownVerdict(own.kind),
      git === 'clean' && own.kind !== 'up-to-date' ? treeOf(own) : '',
    ]),
    git: compared.map(({ git, gitTree, own }) => [
      git,
      git === 'clean' && own.kind !== 'up-to-date' ? gitTree : '',
    ]),
    clean: compared.filter(({ git }) => git === 'clean').length,
    conflicts: compared.filter(({ git }) => git === 'conflicts').length,
  };
}

describe('a merge has the verdict of git merge-tree, and its tree when that is clean,', () => {
  it('for branches of a project: edits, moves, renames, copies, moved folders', async () => {
    const objects = new MemoryObjects();
    const cases = drawn(projectBranches, 1, 100).map((trees) => putBranches(objects, trees));
    const { own, git, clean, conflicts } = await verdicts(objects, cases);
    expect(own).toEqual(git);
    expect(clean).toBeGreaterThan(40);
    expect(conflicts).toBeGreaterThan(12);
  });

  it('for branches that were merged into each other', async () => {
    const objects = new MemoryObjects();
    const cases = drawn(crissCross, 2, 70).map((trees) => putCrissCross(objects, trees));
    const { own, git, clean, conflicts } = await verdicts(objects, cases);
    expect(own).toEqual(git);
    expect(clean).toBeGreaterThan(30);
    expect(conflicts).toBeGreaterThan(10);
  });

  it('for small files that all move at once, so that renames collide', async () => {
    const objects = new MemoryObjects();
    const cases = drawn(divergedTrees, 3, 120).map((trees) => putBranches(objects, trees));
    const { own, git } = await verdicts(objects, cases);
    expect(own).toEqual(git);
  });

  it('for odd names, links, submodules, binary and empty files, files where directories were', async () => {
    const objects = new MemoryObjects();
    const cases = drawn(oddTriples, 4, 120).map((trees) => putBranches(objects, trees));
    const { own, git } = await verdicts(objects, cases);
    expect(own).toEqual(git);
  });

  it('and leaves the same tree with the same markers when there are conflicts', async () => {
    const objects = new MemoryObjects();
    const cases = [
      ...drawn(projectBranches, 5, 40).map((trees) => putBranches(objects, trees)),
      ...drawn(crissCross, 6, 30).map((trees) => putCrissCross(objects, trees)),
    ];
    const compared = (await compareMerges(objects, cases)).filter(({ git }) => git === 'conflicts');
    expect(compared.map(({ own }) => treeOf(own))).toEqual(compared.map(({ gitTree }) => gitTree));
    expect(compared.length).toBeGreaterThan(12);
  });
});
