import { describe, expect, it } from '@jest/globals';
import {
  mergeCommits,
  type MergeConflictKind,
  mergeTrees,
  type ObjectId,
  type TreeMerge,
} from '../src/index.ts';
import { type FilesOfTree, MemoryObjects } from './support/memory-objects.ts';

const TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';
const edit = (from: string, to: string): string => TEXT.replace(`${from}\n`, `${to}\n`);
const LABELS = { ours: 'main', theirs: 'plan' };

interface Merged {
  readonly objects: MemoryObjects;
  readonly merge: TreeMerge;
}

async function merged(base: FilesOfTree | null, ours: FilesOfTree, theirs: FilesOfTree): Promise<Merged> {
  const objects = new MemoryObjects();
  const trees = {
    base: base && objects.putTree(base),
    ours: objects.putTree(ours),
    theirs: objects.putTree(theirs),
  };
  return { objects, merge: await mergeTrees(objects, { ...trees, labels: LABELS }) };
}

async function expectClean(
  base: FilesOfTree | null,
  ours: FilesOfTree,
  theirs: FilesOfTree,
  result: FilesOfTree,
): Promise<void> {
  const { objects, merge } = await merged(base, ours, theirs);
  expect(merge).toEqual({ kind: 'clean', tree: objects.putTree(result) });
}

/** The kinds of the conflicts by path. */
async function conflictsOf(
  base: FilesOfTree,
  ours: FilesOfTree,
  theirs: FilesOfTree,
): Promise<Record<string, MergeConflictKind>> {
  const { merge } = await merged(base, ours, theirs);
  return merge.kind === 'clean'
    ? {}
    : Object.fromEntries(merge.conflicts.map(({ path, kind }) => [path, kind]));
}

describe('a merge of trees without conflict', () => {
  it('takes what each side did to other files', () =>
    expectClean(
      { a: 'a', b: 'b', c: 'c' },
      { a: 'A', b: 'b' },
      { a: 'a', b: 'B', c: 'c', d: 'd' },
      { a: 'A', b: 'B', d: 'd' },
    ));

  it('takes what both sides did alike', () =>
    expectClean({ a: 'a', b: 'b' }, { a: 'x', n: 'n' }, { a: 'x', n: 'n' }, { a: 'x', n: 'n' }));

  it('puts together edits of one file', () =>
    expectClean(
      { f: TEXT },
      { f: edit('one', 'ONE') },
      { f: edit('eight', 'EIGHT') },
      { f: edit('one', 'ONE').replace('eight', 'EIGHT') },
    ));

  it('takes an edit along to where the other side moved the file', () =>
    expectClean(
      { f: TEXT },
      { f: edit('one', 'ONE') },
      { 'dir/g': edit('eight', 'EIGHT') },
      { 'dir/g': edit('one', 'ONE').replace('eight', 'EIGHT') },
    ));

  it('takes a mode of one side and the content of the other', () =>
    expectClean(
      { f: TEXT },
      { f: { mode: '100755', content: TEXT } },
      { f: edit('one', 'ONE') },
      { f: { mode: '100755', content: edit('one', 'ONE') } },
    ));

  it('takes a directory for a file that went, and a file for a directory', () =>
    expectClean(
      { a: 'a', 'd/x': 'x' },
      { 'a/b': 'new\n', 'd/x': 'x' },
      { a: 'a', d: 'file\n' },
      { 'a/b': 'new\n', d: 'file\n' },
    ));

  it('keeps a submodule that one side moved', () => {
    const link = (digit: string): FilesOfTree => ({
      m: { mode: '160000', content: digit.repeat(40) },
      f: 'f',
    });
    return expectClean(link('1'), link('2'), { ...link('1'), g: 'g' }, { ...link('2'), g: 'g' });
  });

  it('of sides without a base takes both', () =>
    expectClean(null, { a: 'a' }, { b: 'b' }, { a: 'a', b: 'b' }));

  it('leaves nothing of a directory that lost its last file', () =>
    expectClean({ 'd/e/a': 'a', b: 'b' }, { b: 'b' }, { 'd/e/a': 'a', b: 'b', c: 'c' }, { b: 'b', c: 'c' }));
});

describe('a merge of trees with conflicts', () => {
  it.each<[string, FilesOfTree, FilesOfTree, FilesOfTree, Record<string, MergeConflictKind>]>([
    [
      'both change the same lines',
      { f: TEXT },
      { f: edit('one', '1') },
      { f: edit('one', 'uno') },
      { f: 'content' },
    ],
    ['both add a file', { x: '' }, { x: '', f: 'a\n' }, { x: '', f: 'b\n' }, { f: 'add/add' }],
    [
      'one changes what the other deletes',
      { f: TEXT, x: '' },
      { f: edit('one', '1'), x: '' },
      { x: '' },
      { f: 'modify/delete' },
    ],
    [
      'one renames what the other deletes',
      { f: TEXT, x: '' },
      { g: TEXT, x: '' },
      { x: '' },
      { g: 'rename/delete' },
    ],
    [
      'each renames it differently',
      { f: TEXT, x: '' },
      { g: TEXT, x: '' },
      { h: TEXT, x: '' },
      { f: 'rename/rename', g: 'rename/rename', h: 'rename/rename' },
    ],
    ['both change a binary file', { f: 'a\0' }, { f: 'b\0' }, { f: 'c\0' }, { f: 'binary' }],
    [
      'both add it with another mode',
      { x: '' },
      { x: '', f: 'a\n' },
      { x: '', f: { mode: '100755', content: 'a\n' } },
      { f: 'mode' },
    ],
    [
      'both change a link',
      { f: { mode: '120000', content: 'a' } },
      { f: { mode: '120000', content: 'b' } },
      { f: { mode: '120000', content: 'c' } },
      { f: 'link' },
    ],
    [
      'one makes a file a link and the other edits it',
      { f: TEXT },
      { f: { mode: '120000', content: 'b' } },
      { f: edit('one', '1') },
      { f: 'link', 'f~plan': 'link' },
    ],
    [
      'both move a submodule',
      { f: { mode: '160000', content: '1'.repeat(40) } },
      { f: { mode: '160000', content: '2'.repeat(40) } },
      { f: { mode: '160000', content: '3'.repeat(40) } },
      { f: 'submodule' },
    ],
    [
      'one adds a file where the other adds a directory',
      { x: '' },
      { x: '', f: 'f\n' },
      { x: '', 'f/a': 'a\n' },
      { 'f~main': 'file/directory' },
    ],
    [
      'one renames a directory into which the other adds a file',
      { 'd/a': TEXT, 'd/b': `${TEXT}b\n` },
      { 'e/a': TEXT, 'e/b': `${TEXT}b\n` },
      { 'd/a': TEXT, 'd/b': `${TEXT}b\n`, 'd/new': 'new\n' },
      { 'e/new': 'directory-rename' },
    ],
  ])('says so when %s', async (_, base, ours, theirs, kinds) => {
    expect(await conflictsOf(base, ours, theirs)).toEqual(kinds);
  });

  it('gives the three versions, which are all in the store, and one sentence', async () => {
    const { objects, merge } = await merged({ f: TEXT }, { f: edit('one', '1') }, { f: edit('one', 'uno') });
    if (merge.kind !== 'conflicts') throw new Error('expected conflicts');
    const [base, ours, theirs] = [TEXT, edit('one', '1'), edit('one', 'uno')].map((content) =>
      objects.putFile(content),
    );
    expect(merge.conflicts).toEqual([
      { path: 'f', kind: 'content', base, ours, theirs, detail: 'both sides changed the same lines of f.' },
    ]);
  });

  it('marks both sides in the file and merges the rest', async () => {
    const { objects, merge } = await merged(
      { f: TEXT, g: 'g' },
      { f: edit('one', '1'), g: 'G' },
      { f: edit('one', 'uno'), g: 'g', h: 'h' },
    );
    const content = `<<<<<<< main\n1\n=======\nuno\n>>>>>>> plan\n${TEXT.slice(4)}`;
    expect(merge).toMatchObject({ markedTree: objects.putTree({ f: content, g: 'G', h: 'h' }) });
  });

  it('writes nothing when it shall only report', async () => {
    const objects = new MemoryObjects();
    const [base, ours, theirs] = [
      { f: TEXT },
      { f: edit('one', '1'), n: 'n' },
      { f: edit('one', 'uno') },
    ].map((files) => objects.putTree(files));
    const before = objects.size;
    const merge = await mergeTrees(objects, {
      base: base as ObjectId,
      ours: ours as ObjectId,
      theirs: theirs as ObjectId,
      onConflict: 'report',
    });
    expect(merge).toMatchObject({ kind: 'conflicts', markedTree: null });
    expect(objects.size).toBe(before);
  });

  it('loses no file of a directory that a moved file would have landed in', async () => {
    const { objects, merge } = await merged(
      { 'b/a': 'one\ntwo\n', 'n/b/a': '' },
      { 'n/a': 'two\n', 'n/b/a': '' },
      { 'b/b/q': '', 'b/c': '', 'n/b/a': '' },
    );
    if (merge.kind !== 'conflicts' || merge.markedTree === null) throw new Error('expected a marked tree');
    expect(Object.keys(await objects.list(merge.markedTree)).sort()).toEqual([
      'b/b/q',
      'n/a',
      'n/b/a',
      'n/c',
    ]);
  });
});

describe('a merge of trees', () => {
  it('reads little of a large tree of which each side touched a corner', async () => {
    const objects = new MemoryObjects();
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`d${at % 40}/e${at % 4}/f${at}`, `${at}\n`]),
    );
    const base = objects.putTree(files);
    const ours = objects.putTree({ ...files, 'd1/e1/f1': 'ours\n' });
    const theirs = objects.putTree({ ...files, 'd2/e2/f2': 'theirs\n' });
    objects.treesRead.length = 0;
    objects.blobsRead.length = 0;
    await mergeTrees(objects, { base, ours, theirs });
    expect(objects.treesRead.length).toBeLessThanOrEqual(9);
    expect(objects.blobsRead).toEqual([]);
  });
});

describe('a merge of commits', () => {
  const objects = new MemoryObjects();
  const root = objects.putCommit(objects.putTree({ f: TEXT }), [], 1);
  const ours = objects.putCommit(objects.putTree({ f: edit('one', 'ONE') }), [root], 2);
  const theirs = objects.putCommit(objects.putTree({ f: edit('eight', 'EIGHT') }), [root], 3);
  const stranger = objects.putCommit(objects.putTree({ g: 'g' }), [], 4);

  it('finds the base and merges', async () => {
    const tree = objects.putTree({ f: edit('one', 'ONE').replace('eight', 'EIGHT') });
    expect(await mergeCommits(objects, { ours, theirs })).toEqual({
      kind: 'clean',
      tree,
      mergeBases: [root],
    });
  });

  it('sees that there is nothing to merge, in either direction', async () => {
    const tree = objects.putTree({ f: edit('one', 'ONE') });
    expect(await mergeCommits(objects, { ours: root, theirs: ours })).toEqual({
      kind: 'fast-forward',
      commit: ours,
      tree,
    });
    expect(await mergeCommits(objects, { ours, theirs: root })).toEqual({ kind: 'up-to-date' });
    expect(await mergeCommits(objects, { ours, theirs: ours })).toEqual({ kind: 'up-to-date' });
  });

  it('refuses unrelated histories unless told what to take for their base', async () => {
    expect(await mergeCommits(objects, { ours, theirs: stranger })).toEqual({ kind: 'unrelated' });
    const told = await mergeCommits(objects, { ours, theirs: stranger, fallbackBase: root });
    expect(told).toMatchObject({ kind: 'conflicts', mergeBases: [root] });
  });
});
