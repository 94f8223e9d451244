import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { diffTrees, EMPTY_TREE_ID, type ObjectId, type TreeChange } from '../src/index.ts';
import { type FilesOfTree, MemoryObjects } from './support/memory-objects.ts';
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
      return `:${old.mode} ${now.mode} ${old.id} ${now.id} ${letter}\0${path}\0`;
    })
    .join('');
const kindOf = (mode: string): string => mode.slice(0, 3);

describe('the difference of two trees', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  it('is what git diff-tree says, in bytewise order of paths', async () => {
    const objects = new MemoryObjects();
    await fc.assert(
      fc.asyncProperty(treePairs, async ([before, after]) => {
        const [from, to] = [objects.putTree(before), objects.putTree(after)];
        objects.exportTo(repository);
        const expected = repository.git(['diff-tree', '-r', '-z', '--no-renames', from, to]).toString();
        const changes = await diffTrees(objects, from, to);
        expect([...asGitPrints(changes).split('\0')].sort()).toEqual([...expected.split('\0')].sort());
        expect(changes.map(({ path }) => path)).toEqual(
          changes.map(({ path }) => path).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        );
      }),
      { numRuns: 100 },
    );
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
