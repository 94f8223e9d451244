import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemoryObjects } from '../support/memory-objects.ts';
import {
  compareMerges,
  isFalselyClean,
  type MergeCase,
  putBranches,
  putCrissCross,
  treeOf,
} from '../support/merge-parity.ts';
import { crissCross, projectBranches } from '../support/project-arbitraries.ts';
import { divergedTrees, oddTriples } from '../support/tree-arbitraries.ts';

const SEED = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000);
const RUNS = Number(process.env['TORTURE_RUNS'] ?? 2000);

const kinds: Readonly<Record<string, (objects: MemoryObjects) => readonly MergeCase[]>> = {
  projects: (objects) =>
    fc.sample(projectBranches, { seed: SEED, numRuns: RUNS }).map((trees) => putBranches(objects, trees)),
  'criss-cross histories': (objects) =>
    fc.sample(crissCross, { seed: SEED, numRuns: RUNS }).map((trees) => putCrissCross(objects, trees)),
  'colliding renames': (objects) =>
    fc.sample(divergedTrees, { seed: SEED, numRuns: RUNS }).map((trees) => putBranches(objects, trees)),
  'odd trees': (objects) =>
    fc.sample(oddTriples, { seed: SEED, numRuns: RUNS }).map((trees) => putBranches(objects, trees)),
};

describe(`merges against git merge-tree, seed ${SEED}`, () => {
  it.each(Object.keys(kinds))(
    '%s: the same verdict, and the same tree when clean',
    async (kind) => {
      const objects = new MemoryObjects();
      const cases = kinds[kind]?.(objects) ?? [];
      const compared = await compareMerges(objects, cases);
      const wrong = compared.flatMap((one, at) => {
        if (one.git === 'failed' || one.own.kind === 'up-to-date' || isFalselyClean(one)) return [];
        const isSame =
          one.git === 'clean'
            ? treeOf(one.own) === one.gitTree && one.own.kind !== 'conflicts'
            : one.own.kind === 'conflicts';
        return isSame ? [] : [{ at, ...cases[at], git: one.git, own: one.own.kind }];
      });
      expect(wrong).toEqual([]);
    },
    1_800_000,
  );
});
