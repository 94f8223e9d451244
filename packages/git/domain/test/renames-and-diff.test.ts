import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  detectRenames,
  type DiffAlgorithm,
  diffLines,
  diffTrees,
  type FileChange,
  lineStatistics,
  type ObjectId,
  splitLines,
  unifiedDiff,
} from '../src/index.ts';
import { diffTreeEach } from './support/diff-tree.ts';
import { type FilesOfTree, MemoryObjects } from './support/memory-objects.ts';
import { projectBranches } from './support/project-arbitraries.ts';
import { RealRepository } from './support/real-git.ts';
import { longText, textPairs } from './support/text-arbitraries.ts';
import { renamedTrees, treePairs } from './support/tree-arbitraries.ts';

let repository: RealRepository;
beforeAll(() => void (repository = new RealRepository()));
afterAll(() => repository.remove());

const objects = new MemoryObjects();
type TreePair = readonly [ObjectId, ObjectId];
const put = ([before, after]: readonly [FilesOfTree, FilesOfTree]): TreePair => [
  objects.putTree(before),
  objects.putTree(after),
];
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

/** Fixed seeds, because git is asked about all pairs at once. Each pair once, and none of equal trees. */
const treesToCompare = (): readonly TreePair[] => {
  const drawn = [
    ...fc.sample(treePairs, { seed: 1, numRuns: 150 }),
    ...fc.sample(renamedTrees, { seed: 2, numRuns: 500 }),
    ...fc
      .sample(projectBranches, { seed: 3, numRuns: 60 })
      .map(([, ours, theirs]) => [ours, theirs] as const),
  ];
  const pairs = new Map(drawn.map(put).map((pair) => [pair.join(), pair]));
  objects.exportTo(repository);
  return [...pairs.values()].filter(([from, to]) => from !== to);
};
const textsToCompare = (): readonly TreePair[] => {
  const drawn = fc.sample(textPairs, { seed: 4, numRuns: 600 });
  const pairs = new Map(
    drawn
      .map(([before, after]) => put([{ f: latin1(before) }, { f: latin1(after) }]))
      .map((pair) => [pair.join(), pair]),
  );
  objects.exportTo(repository);
  return [...pairs.values()].filter(([from, to]) => from !== to);
};
const changesOf = async ([from, to]: TreePair): Promise<readonly FileChange[]> =>
  detectRenames(objects, await diffTrees(objects, from, to));
const asBytes = (text: string): string => Buffer.from(text).toString('latin1');

describe('renames', () => {
  it('are those that git diff -M finds, with its similarity', async () => {
    const pairs = treesToCompare();
    const expected = diffTreeEach(repository, ['-z', '-M', '--diff-filter=R'], pairs).map((output) => {
      const fields = output.split('\0').slice(0, -1);
      const renames = [];
      for (let at = 0; at < fields.length; at += 3)
        renames.push(`${fields[at]?.split(' ').at(-1)} ${fields[at + 1]} -> ${fields[at + 2]}`);
      return renames.sort();
    });
    const own = pairs.map(async (pair) =>
      (await changesOf(pair))
        .filter(({ renamedFrom }) => renamedFrom !== null)
        .map(({ renamedFrom, path, similarity }) =>
          asBytes(`R${String(similarity).padStart(3, '0')} ${renamedFrom} -> ${path}`),
        )
        .sort(),
    );
    expect(await Promise.all(own)).toEqual(expected);
    expect(expected.flat().length).toBeGreaterThan(300);
  });

  it('of equal content need no file to be read', async () => {
    const pair = put([
      { a: 'x\n', b: 'y\n' },
      { 'd/a': 'x\n', c: 'y\nz\n' },
    ]);
    const before = objects.blobsRead.length;
    const found = await detectRenames(objects, await diffTrees(objects, ...pair), { exactOnly: true });
    expect(found.map(({ renamedFrom, path }) => [renamedFrom, path])).toEqual([
      [null, 'b'],
      [null, 'c'],
      ['a', 'd/a'],
    ]);
    expect(objects.blobsRead).toHaveLength(before);
  });

  it('by similarity are left out when there are more to compare than the limit allows', async () => {
    const pair = put([
      { a: 'x\ny\nz\n', b: 'u\nv\nw\n' },
      { c: 'x\ny\nz2\n', d: 'u\nv\nw2\n' },
    ]);
    const changes = await diffTrees(objects, ...pair);
    const sources = async (limit: number): Promise<unknown> =>
      (await detectRenames(objects, changes, { limit })).map(({ renamedFrom }) => renamedFrom);
    expect(await sources(2)).toEqual(['a', 'b']);
    expect(await sources(1)).toEqual([null, null, null, null]);
  });
});

describe('the lines of a change', () => {
  it('are counted as git diff --numstat -M counts them', async () => {
    const pairs = treesToCompare();
    const own = pairs.map(async (pair) => {
      const lines = (await changesOf(pair)).map(async (change) => {
        const { insertions, deletions, binary } = await lineStatistics(objects, change);
        const names = change.renamedFrom === null ? change.path : `\0${change.renamedFrom}\0${change.path}`;
        return asBytes(`${binary ? '-\t-' : `${insertions}\t${deletions}`}\t${names}\0`);
      });
      return (await Promise.all(lines)).join('');
    });
    expect(await Promise.all(own)).toEqual(diffTreeEach(repository, ['-z', '-M', '--numstat'], pairs));
  });

  it.each<DiffAlgorithm>(['myers', 'histogram'])(
    'are told apart as git diff --diff-algorithm=%s does',
    async (algorithm) => {
      const pairs = textsToCompare();
      const outputs = diffTreeEach(repository, ['-p', '-U0', `--diff-algorithm=${algorithm}`], pairs);
      const expected = outputs.map((output) => output.match(/^@@ [^@]* @@/gm) ?? []);
      const range = (start: number, count: number): string =>
        `${count === 0 ? start : start + 1}${count === 1 ? '' : `,${count}`}`;
      const own = pairs.map(async ([from, to]) => {
        const [change] = await diffTrees(objects, from, to);
        if (!change?.before || !change.after) throw new Error('no file to compare');
        const lines = await Promise.all(
          [change.before, change.after].map(async ({ id }) => splitLines(await objects.readBlob(id))),
        );
        return diffLines(lines[0] ?? [], lines[1] ?? [], { algorithm, indentHeuristic: true }).map(
          (hunk) =>
            `@@ -${range(hunk.beforeStart, hunk.beforeCount)} +${range(hunk.afterStart, hunk.afterCount)} @@`,
        );
      });
      expect(await Promise.all(own)).toEqual(expected);
    },
  );

  it.each([
    [1, 3000, 3],
    [2, 3000, 30],
    [3, 3000, 2500],
    [4, 6000, 200],
  ])(
    'are told apart as git does in long files that share little (seed %i, %i lines, %i different)',
    (seed, size, distinct) => {
      const texts = [longText(seed, size, distinct), longText(seed + 100, size, distinct)] as const;
      repository.write('before', texts[0]);
      repository.write('after', texts[1]);
      const [before, after] = texts.map((text) => splitLines(latin1(text)));
      for (const algorithm of ['myers', 'histogram'] as const) {
        const args = ['diff', '--no-index', '--numstat', `--diff-algorithm=${algorithm}`, 'before', 'after'];
        const [insertions, deletions] = repository.run(args).stdout.toString().split('\t').map(Number);
        const hunks = diffLines(before ?? [], after ?? [], { algorithm, indentHeuristic: true });
        expect(hunks.reduce((sum, { afterCount }) => sum + afterCount, 0)).toBe(insertions);
        expect(hunks.reduce((sum, { beforeCount }) => sum + beforeCount, 0)).toBe(deletions);
      }
    },
  );
});

describe('a patch', () => {
  it('is the one that git diff -M --full-index prints', async () => {
    const pairs = [...treesToCompare(), ...textsToCompare()];
    const own = pairs.map(async (pair) =>
      Buffer.from(await unifiedDiff(objects, await changesOf(pair))).toString('latin1'),
    );
    const expected = diffTreeEach(repository, ['-p', '-M', '--full-index'], pairs);
    expect(await Promise.all(own)).toEqual(expected);
  });

  it('brings git apply from one tree to the other', async () => {
    const text = longText(1, 60, 50);
    const pair = put([
      {
        'old name': text,
        'run.sh': 'a\n',
        gone: 'x',
        'é"\n': 'no end',
        link: { mode: '120000', content: 'a' },
      },
      {
        'dir/new name': text.replace('line 7\n', 'line seven\n'),
        'run.sh': { mode: '100755', content: 'a\nb\n' },
        'é"\n': 'no end, still',
        empty: '',
        link: 'a file now\n',
      },
    ]);
    objects.exportTo(repository);
    repository.git(['read-tree', pair[0]]);
    repository.git(['apply', '--cached', '-'], await unifiedDiff(objects, await changesOf(pair)));
    expect(repository.text(['write-tree'])).toBe(pair[1]);
  });
});
