import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { diffTrees, EMPTY_TREE_ID, type ObjectId, type TreeChange } from '../src/index.ts';
import { type FilesOfTree, MemoryObjects } from './support/memory-objects.ts';
import { diffTreeEach } from './support/diff-tree.ts';
import { RealRepository } from './support/real-git.ts';
import { treePairs } from './support/tree-arbitraries.ts';

/** As `git diff-tree -r -z --no-renames` prints them. */
const asGitPrints = (changes: readonly TreeChange[]): string =>
  changes
    .map(({ path, before, after }) => {
      const letter =
        before === null ? 'A' : after === null ? 'D' : kindOf(before.mode) === kindOf(after.mode) ? 'M' : 'T';
      const none = { mode: '000000', id: '0'.repeat(40) };
      const [old, now] = [before ?? none, after ?? none];
      const name = Buffer.from(path).toString('latin1');
      return `:${old.mode} ${now.mode} ${old.id} ${now.id} ${letter}\0${name}\0`;
    })
    .join('');
const kindOf = (mode: string): string => mode.slice(0, 3);

describe('the difference of two trees', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  it('is what git diff-tree says, in bytewise order of paths', async () => {
    const objects = new MemoryObjects();
    const drawn = fc.sample(treePairs, { seed: 1, numRuns: 400 });
    const pairs = drawn.map(([before, after]) => [objects.putTree(before), objects.putTree(after)] as const);
    const unique = [...new Map(pairs.map((pair) => [pair.join(), pair])).values()].filter(
      ([from, to]) => from !== to,
    );
    objects.exportTo(repository);
    const own = unique.map(async ([from, to]) => asGitPrints(await diffTrees(objects, from, to)));
    const expected = diffTreeEach(repository, ['-z', '--no-renames'], unique);
    expect(await Promise.all(own)).toEqual(expected);
  });

  it('takes null for the tree without entries, on either side', async () => {
    const objects = new MemoryObjects();
    const tree = objects.putTree({ 'a/b': 'x' });
    const leaf = objects.putFile('x');
    expect(await diffTrees(objects, null, tree)).toEqual([{ path: 'a/b', before: null, after: leaf }]);
    expect(await diffTrees(objects, tree, EMPTY_TREE_ID)).toEqual([
      { path: 'a/b', before: leaf, after: null },
    ]);
    expect(await diffTrees(objects, null, null)).toEqual([]);
  });

  it('reads only the subtrees that differ, and no file', async () => {
    const objects = new MemoryObjects();
    const same: FilesOfTree = { 'same/deep/a': '1', 'same/b': '2' };
    const from = objects.putTree({ ...same, 'other/c': '3' });
    const to = objects.putTree({ ...same, 'other/c': '4' });
    await diffTrees(objects, from, to);
    expect(objects.treesRead).toHaveLength(4);
    expect(objects.blobsRead).toHaveLength(0);
  });

  it('shows a file that became a directory as one path deleted and others added', async () => {
    const objects = new MemoryObjects();
    const from: ObjectId = objects.putTree({ a: 'x' });
    const to = objects.putTree({ 'a/b': 'x' });
    const leaf = objects.putFile('x');
    expect(await diffTrees(objects, from, to)).toEqual([
      { path: 'a', before: leaf, after: null },
      { path: 'a/b', before: null, after: leaf },
    ]);
  });
});
