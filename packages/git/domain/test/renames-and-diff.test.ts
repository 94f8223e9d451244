import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  detectRenames,
  diffLines,
  diffTrees,
  type FileChange,
  lineStatistics,
  type ObjectId,
  splitLines,
  unifiedDiff,
} from '../src/index.ts';
import { type FilesOfTree, MemoryObjects } from './support/memory-objects.ts';
import { RealRepository } from './support/real-git.ts';
import { longText, textPairs } from './support/text-arbitraries.ts';
import { renamedTrees, treePairs } from './support/tree-arbitraries.ts';

let repository: RealRepository;
beforeAll(() => void (repository = new RealRepository()));
afterAll(() => repository.remove());

const objects = new MemoryObjects();
const changesOf = async (from: ObjectId, to: ObjectId): Promise<readonly FileChange[]> =>
  detectRenames(objects, await diffTrees(objects, from, to));
const put = ([before, after]: readonly [FilesOfTree, FilesOfTree]): readonly [ObjectId, ObjectId] => {
  const trees = [objects.putTree(before), objects.putTree(after)] as const;
  objects.exportTo(repository);
  return trees;
};
const anyTrees = fc.oneof({ weight: 1, arbitrary: treePairs }, { weight: 3, arbitrary: renamedTrees });

describe('renames', () => {
  it('are those that git diff -M finds, with its similarity', async () => {
    await fc.assert(
      fc.asyncProperty(anyTrees, async (pair) => {
        const [from, to] = put(pair);
        const output = repository
          .git(['diff-tree', '-r', '-z', '-M', '--diff-filter=R', from, to])
          .toString()
          .split('\0')
          .slice(0, -1);
        const expected = [];
        for (let at = 0; at < output.length; at += 3)
          expected.push(`${output[at]?.split(' ').at(-1)} ${output[at + 1]} -> ${output[at + 2]}`);
        const ours = (await changesOf(from, to))
          .filter(({ renamedFrom }) => renamedFrom !== null)
          .map(
            ({ renamedFrom, path, similarity }) =>
              `R${String(similarity).padStart(3, '0')} ${renamedFrom} -> ${path}`,
          );
        expect(ours.sort()).toEqual(expected.sort());
      }),
      { numRuns: 250 },
    );
  });

  it('of equal content need no file to be read', async () => {
    const [from, to] = put([
      { a: 'x\n', b: 'y\n' },
      { 'd/a': 'x\n', c: 'y\nz\n' },
    ]);
    const before = objects.blobsRead.length;
    const found = await detectRenames(objects, await diffTrees(objects, from, to), { exactOnly: true });
    expect(found.map(({ renamedFrom, path }) => [renamedFrom, path])).toEqual([
      [null, 'b'],
      [null, 'c'],
      ['a', 'd/a'],
    ]);
    expect(objects.blobsRead).toHaveLength(before);
  });

  it('by similarity are left out when there are more to compare than the limit allows', async () => {
    const [from, to] = put([
      { a: 'x\ny\nz\n', b: 'u\nv\nw\n' },
      { c: 'x\ny\nz2\n', d: 'u\nv\nw2\n' },
    ]);
    const changes = await diffTrees(objects, from, to);
    expect(
      (await detectRenames(objects, changes, { limit: 2 })).map(({ renamedFrom }) => renamedFrom),
    ).toEqual(['a', 'b']);
    expect(
      (await detectRenames(objects, changes, { limit: 1 })).map(({ renamedFrom }) => renamedFrom),
    ).toEqual([null, null, null, null]);
  });
});

describe('the lines of a change', () => {
  it('are counted as git diff --numstat -M counts them', async () => {
    await fc.assert(
      fc.asyncProperty(anyTrees, async (pair) => {
        const [from, to] = put(pair);
        const output = repository.git(['diff-tree', '-r', '-z', '-M', '--numstat', from, to]).toString();
        const ours = await Promise.all(
          (await changesOf(from, to)).map(async (change) => {
            const { insertions, deletions, binary } = await lineStatistics(objects, change);
            const names =
              change.renamedFrom === null ? change.path : `\0${change.renamedFrom}\0${change.path}`;
            return `${binary ? '-\t-' : `${insertions}\t${deletions}`}\t${names}\0`;
          }),
        );
        expect(ours.join('')).toBe(output);
      }),
      { numRuns: 150 },
    );
  });

  it.each(['myers', 'histogram'] as const)(
    'are told apart as git diff --diff-algorithm=%s does',
    (algorithm) => {
      fc.assert(
        fc.property(textPairs, ([before, after]) => {
          repository.write('before', Buffer.from(before, 'latin1'));
          repository.write('after', Buffer.from(after, 'latin1'));
          const args = [
            'diff',
            '--no-index',
            '-U0',
            '--no-color',
            `--diff-algorithm=${algorithm}`,
            'before',
            'after',
          ];
          const headers =
            repository
              .run(args)
              .stdout.toString('latin1')
              .match(/^@@ [^@]* @@/gm) ?? [];
          const lines = [before, after].map((text) => splitLines(Buffer.from(text, 'latin1')));
          const hunks = diffLines(lines[0] ?? [], lines[1] ?? [], { algorithm, indentHeuristic: true });
          const range = (start: number, count: number): string =>
            `${count === 0 ? start : start + 1}${count === 1 ? '' : `,${count}`}`;
          expect(
            hunks.map(
              (hunk) =>
                `@@ -${range(hunk.beforeStart, hunk.beforeCount)} +${range(hunk.afterStart, hunk.afterCount)} @@`,
            ),
          ).toEqual(headers);
        }),
        { numRuns: 200 },
      );
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
      const texts = [longText(seed, size, distinct), longText(seed + 100, size, distinct)];
      repository.write('before', texts[0] ?? '');
      repository.write('after', texts[1] ?? '');
      const lines = texts.map((text) => splitLines(Buffer.from(text)));
      for (const algorithm of ['myers', 'histogram'] as const) {
        const args = ['diff', '--no-index', '--numstat', `--diff-algorithm=${algorithm}`, 'before', 'after'];
        const [insertions, deletions] = repository.run(args).stdout.toString().split('\t').map(Number);
        const hunks = diffLines(lines[0] ?? [], lines[1] ?? [], { algorithm, indentHeuristic: true });
        expect(hunks.reduce((sum, { afterCount }) => sum + afterCount, 0)).toBe(insertions);
        expect(hunks.reduce((sum, { beforeCount }) => sum + beforeCount, 0)).toBe(deletions);
      }
    },
  );
});

describe('a patch', () => {
  it('is the one that git diff -M --full-index prints', async () => {
    await fc.assert(
      fc.asyncProperty(anyTrees, async (pair) => {
        const [from, to] = put(pair);
        const expected = repository
          .git(['diff-tree', '-r', '-p', '-M', '--full-index', from, to])
          .toString('latin1');
        const ours = await unifiedDiff(objects, await changesOf(from, to));
        expect(Buffer.from(ours).toString('latin1')).toBe(expected);
      }),
      { numRuns: 150 },
    );
  });

  it('of any text is the one that git prints', async () => {
    await fc.assert(
      fc.asyncProperty(textPairs, async ([before, after]) => {
        const [from, to] = put([{ f: Buffer.from(before, 'latin1') }, { f: Buffer.from(after, 'latin1') }]);
        const expected = repository
          .git(['diff-tree', '-r', '-p', '-M', '--full-index', from, to])
          .toString('latin1');
        expect(Buffer.from(await unifiedDiff(objects, await changesOf(from, to))).toString('latin1')).toBe(
          expected,
        );
      }),
      { numRuns: 150 },
    );
  });

  it('brings git apply from one tree to the other', async () => {
    const text = longText(1, 60, 50);
    const [from, to] = put([
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
    repository.git(['read-tree', from]);
    repository.git(['apply', '--cached', '-'], await unifiedDiff(objects, await changesOf(from, to)));
    expect(repository.text(['write-tree'])).toBe(to);
  });
});
