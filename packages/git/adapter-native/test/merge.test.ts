import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MergeResult } from '@cleveragents/git-ports';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { commitFiles, git, makeRepository, temporaryFolder } from '@cleveragents/shared-testing/real-git';
import { parseMergeTree } from '../src/merge-by-git.ts';
import { addWorktree, isomorphic, labels, native } from './support/both-engines.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

type Files = Readonly<Record<string, string>>;

/** `main` with `ours` on the base, and `theirs` beside it. */
function diverged(root: string, base: Files, ours: Files, theirs: Files) {
  const fallbackBase = commitFiles(root, base, 'base');
  git(root, 'checkout', '-q', '-b', 'side');
  const other = commitFiles(root, theirs, 'theirs');
  git(root, 'checkout', '-q', 'main');
  return { ours: commitFiles(root, ours, 'ours'), theirs: other, fallbackBase, labels };
}

/** What a merge leaves to be resolved, without names of objects, which differ between formats. */
function picture(root: string, merge: MergeResult): unknown {
  if (merge.kind !== 'conflicts') return merge.kind;
  const files = git(root, 'ls-tree', '-r', '--name-only', merge.markedTree).split('\n');
  return {
    conflicts: merge.conflicts.map(({ path, kind, base, ours, theirs }) => ({
      path,
      kind,
      sides: [base, ours, theirs].map((leaf) => leaf?.mode ?? null),
    })),
    files: Object.fromEntries(files.map((path) => [path, git(root, 'show', `${merge.markedTree}:${path}`)])),
  };
}

describe('a merge that only git can make', () => {
  it('keeps both sides where attributes say union', async () => {
    const root = makeRepository(join(folder, 'project'));
    const base = { '.gitattributes': 'log merge=union\n', log: 'one\n' };
    const request = diverged(root, base, { log: 'one\nours\n' }, { log: 'one\ntheirs\n' });
    const merge = await (await native().open(root)).merge(request);
    expect(merge.kind).toBe('clean');
    if (merge.kind === 'clean') expect(git(root, 'show', `${merge.tree}:log`)).toBe('one\nours\ntheirs');
  });

  it('runs a driver of the repository’s own', async () => {
    const root = makeRepository(join(folder, 'project'));
    git(root, 'config', 'merge.longest.driver', 'test $(wc -c < %A) -ge $(wc -c < %B) || cp %B %A');
    const base = { '.gitattributes': '*.lock merge=longest\n', 'a.lock': 'one\n' };
    const request = diverged(root, base, { 'a.lock': 'ours\n' }, { 'a.lock': 'theirs, longer\n' });
    const merge = await (await native().open(root)).merge(request);
    if (merge.kind === 'clean') expect(git(root, 'show', `${merge.tree}:a.lock`)).toBe('theirs, longer');
    expect(merge.kind).toBe('clean');
  });

  it.each<readonly [string, Files, Files, Files]>([
    ['lines', { a: 'one\n' }, { a: 'ours\n' }, { a: 'theirs\n' }],
    ['a new file on both sides', { a: 'one\n' }, { b: 'ours\n' }, { b: 'theirs\n' }],
    ['a file and a directory', { a: 'one\n' }, { d: 'a file\n' }, { 'd/below': 'a file below\n' }],
  ])(
    'meets the same conflicts about %s under SHA-256 as the domain does under SHA-1',
    async (_what, ...sides) => {
      const pictures: unknown[] = [];
      for (const format of ['sha1', 'sha256']) {
        const root = makeRepository(join(folder, format), `--object-format=${format}`);
        const request = diverged(root, ...sides);
        const engine = format === 'sha1' ? isomorphic() : native();
        pictures.push(picture(root, await (await engine.open(root)).merge(request)));
      }
      expect(pictures[1]).toEqual(pictures[0]);
    },
  );

  it('is up to date, or a fast-forward, under SHA-256 too', async () => {
    const root = makeRepository(join(folder, 'project'), '--object-format=sha256');
    const first = commitFiles(root, { a: 'one\n' });
    const second = commitFiles(root, { a: 'two\n' });
    const host = await native().open(root);
    const request = { fallbackBase: first, labels };
    expect(await host.merge({ ...request, ours: second, theirs: first })).toEqual({ kind: 'up-to-date' });
    expect(await host.merge({ ...request, ours: first, theirs: second })).toEqual({ kind: 'fast-forward' });
  });

  it('can be begun in a worktree, for somebody to resolve, under SHA-256 too', async () => {
    const root = makeRepository(join(folder, 'project'), '--object-format=sha256');
    const request = diverged(root, { a: 'one\n', b: 'b\n' }, { a: 'ours\n' }, { a: 'theirs\n' });
    const host = await native().open(root);
    const worktree = await addWorktree(host, folder, request.theirs);
    const swapped = { ...request, ours: request.theirs, theirs: request.ours };
    const merge = await host.merge({ ...swapped, labels: { ours: labels.theirs, theirs: labels.ours } });
    if (merge.kind !== 'conflicts') throw new Error(`it was ${merge.kind}`);
    const message = "Merge branch 'main'";
    await worktree.beginMerge({ theirs: request.ours, ...merge, message });
    expect(git(worktree.path, 'status', '--porcelain')).toBe('UU a');
    expect(await worktree.capture()).toMatchObject({ unresolved: ['a'], mergeHead: request.ours });
    writeFileSync(join(worktree.path, 'a'), 'both\n');
    git(worktree.path, 'add', 'a');
    git(worktree.path, 'commit', '-qm', message);
    expect(git(worktree.path, 'rev-parse', 'HEAD^2')).toBe(request.ours);
    expect(await worktree.capture()).toMatchObject({ unresolved: [], mergeHead: null });
  });
});

describe('what git merge-tree prints', () => {
  const id = 'ab'.repeat(20);

  it('is a tree alone when nothing conflicts', () => {
    expect(parseMergeTree([id])).toEqual({ tree: id, conflicts: [] });
  });

  it('names the stages of each path, and says what the matter is', () => {
    const records = [
      id,
      `100644 ${id} 1\ta`,
      `100644 ${id} 2\ta`,
      '',
      '1',
      'a',
      'Auto-merging',
      'Auto-merging a\n',
      '1',
      'a',
      'CONFLICT (modify/delete)',
      'CONFLICT (modify/delete): a deleted in theirs and modified in ours.\n',
    ];
    const leaf = { mode: '100644', id };
    expect(parseMergeTree(records).conflicts).toEqual([
      {
        path: 'a',
        kind: 'modify/delete',
        base: leaf,
        ours: leaf,
        theirs: null,
        detail: 'a deleted in theirs and modified in ours.',
      },
    ]);
  });
});
