import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY_TREE_ID, findMergeBases, isAncestor, type ObjectId } from '../src/index.ts';
import { MemoryObjects } from './support/memory-objects.ts';
import { forEachArgument, RealRepository } from './support/real-git.ts';

/** Work on three branches: who commits, whom they merge, how far behind its tip, and how wrong their clock is. */
const histories = fc.array(
  fc.record({
    branch: fc.nat(2),
    merges: fc.option(fc.nat(2)),
    behind: fc.nat(1),
    skew: fc.integer({ min: -8, max: 8 }),
  }),
  { minLength: 3, maxLength: 14 },
);
type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

/** @returns the tips of two of the branches. */
function build(objects: MemoryObjects, history: History, isSkewed: boolean): readonly [ObjectId, ObjectId] {
  const start = 1_700_000_000;
  const root = objects.putCommit(EMPTY_TREE_ID, [], start);
  const branches: ObjectId[][] = [[root], [root], []];
  history.forEach(({ branch, merges, behind, skew }, at) => {
    const own = branches[branch]?.at(-1);
    const other = merges === null ? undefined : branches[merges]?.at(-1 - behind);
    const parents = [own, other].filter((parent) => parent !== undefined);
    const seconds = start + (isSkewed ? at + skew : at * 10 + 10);
    branches[branch]?.push(objects.putCommit(EMPTY_TREE_ID, [...new Set(parents)], seconds));
  });
  return [branches[0]?.at(-1) ?? root, branches[1]?.at(-1) ?? root];
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
    const drawn = fc.sample(histories, { seed: 1, numRuns: 300 });
    const pairs = drawn.map((history) => build(objects, history, isSkewed));
    objects.exportTo(repository);
    const line = 'git merge-base --is-ancestor $argument; echo "$?" $(git merge-base --all $argument)';
    const answers = forEachArgument(
      line,
      pairs.map((pair) => pair.join(' ')),
      repository.folder,
    );
    const own = pairs.map(async ([a, b]) =>
      [(await isAncestor(objects, a, b)) ? '0' : '1', ...(await findMergeBases(objects, a, b))].join(' '),
    );
    expect(await Promise.all(own)).toEqual(answers);
    expect(answers.filter((answer) => answer.split(' ').length > 2).length).toBeGreaterThan(10);
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
