import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY_TREE_ID, findMergeBases, isAncestor, type ObjectId } from '../src/index.ts';
import { MemoryObjects } from './support/memory-objects.ts';
import { RealRepository } from './support/real-git.ts';

/** Each commit: which earlier ones are its parents, and how far its clock is off. */
const histories = fc.array(
  fc.record({ parents: fc.array(fc.nat(30), { maxLength: 3 }), skew: fc.integer({ min: -8, max: 8 }) }),
  {
    minLength: 2,
    maxLength: 14,
  },
);
type History = readonly { readonly parents: readonly number[]; readonly skew: number }[];

function build(objects: MemoryObjects, history: History, isSkewed: boolean): readonly ObjectId[] {
  const commits: ObjectId[] = [];
  history.forEach(({ parents, skew }, at) => {
    const chosen = at === 0 ? [] : [...new Set(parents.map((parent) => commits[parent % at] as ObjectId))];
    const seconds = 1_700_000_000 + (isSkewed ? at + skew : at * 10);
    commits.push(objects.putCommit(EMPTY_TREE_ID, chosen, seconds));
  });
  return commits;
}

describe('the merge bases of two commits', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  it.each([
    ['with clocks that are right', false],
    ['with clocks that are wrong', true],
  ])('are those of git merge-base --all, in its order, %s', async (_, isSkewed) => {
    const objects = new MemoryObjects();
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), fc.nat(), async (history, one, two) => {
        const commits = build(objects, history, isSkewed);
        objects.exportTo(repository);
        const [a, b] = [commits[one % commits.length] as ObjectId, commits[two % commits.length] as ObjectId];
        const { stdout } = repository.run(['merge-base', '--all', a, b]);
        expect(await findMergeBases(objects, a, b)).toEqual(stdout.toString().split('\n').slice(0, -1));
        const isBelow = repository.run(['merge-base', '--is-ancestor', a, b]).status === 0;
        expect(await isAncestor(objects, a, b)).toBe(isBelow);
      }),
      { numRuns: 120 },
    );
  });

  it('are two where branches were merged both ways', async () => {
    const objects = new MemoryObjects();
    const root = objects.putCommit(EMPTY_TREE_ID, [], 1);
    const [a, b] = [objects.putCommit(EMPTY_TREE_ID, [root], 2), objects.putCommit(EMPTY_TREE_ID, [root], 3)];
    const [one, two] = [
      objects.putCommit(EMPTY_TREE_ID, [a, b], 4),
      objects.putCommit(EMPTY_TREE_ID, [b, a], 5),
    ];
    expect(await findMergeBases(objects, one, two)).toEqual([b, a]);
    expect(await findMergeBases(objects, one, one)).toEqual([one]);
    expect(await findMergeBases(objects, one, objects.putCommit(EMPTY_TREE_ID, [], 9))).toEqual([]);
  });
});
