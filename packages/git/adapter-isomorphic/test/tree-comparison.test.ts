import { chmodSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ObjectId } from '@cleveragents/git-domain';
import { commitFiles, git, gitBytes, makeProject, revision } from '@cleveragents/shared-testing/real-git';
import { ObjectDatabase } from '../src/object-database.ts';
import { compareTrees, formatPatch } from '../src/tree-comparison.ts';

let root: string;
let objects: ObjectDatabase;
let before: ObjectId;
let after: ObjectId;
beforeEach(() => {
  ({ root } = makeProject());
  objects = new ObjectDatabase(join(root, '.git/objects'));
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
  commitFiles(root, {
    'kept.txt': 'same\n',
    'changed.txt': lines.join(''),
    'moved here/from.txt': lines.map((line) => `other ${line}`).join(''),
    'gone.txt': 'gone\n',
    'image.bin': Buffer.from([0, 1, 2, 3]),
    'mode.sh': '#!/bin/sh\n',
    'becomes-link': 'a file\n',
    'dir/file': 'x\n',
    'ünï "quoted"\n.txt': 'a\n',
    'latin1.txt': Buffer.from('caf\xe9\n', 'latin1'),
  });
  before = revision(root, 'HEAD^{tree}');
  lines[3] = 'changed\n';
  lines.splice(20, 2, 'new\n', 'lines\n', 'here');
  renameSync(join(root, 'moved here/from.txt'), join(root, 'to.txt'));
  for (const gone of ['gone.txt', 'becomes-link', 'dir']) rmSync(join(root, gone), { recursive: true });
  symlinkSync('kept.txt', join(root, 'becomes-link'));
  chmodSync(join(root, 'mode.sh'), 0o755);
  commitFiles(root, {
    'changed.txt': lines.join(''),
    'added.txt': 'no line end',
    'image.bin': Buffer.from([0, 1, 2, 4]),
    dir: 'now a file\n',
    'ünï "quoted"\n.txt': 'b\n',
    'latin1.txt': Buffer.from('caf\xe8\n', 'latin1'),
    empty: '',
  });
  after = revision(root, 'HEAD^{tree}');
});
afterEach(() => {
  objects.close();
});

describe('comparing trees', () => {
  it.each([true, false])('counts what git diff --numstat -M counts (from a tree: %s)', async (fromTree) => {
    const from = fromTree ? before : null;
    const empty = git(root, 'hash-object', '-t', 'tree', '/dev/null');
    const printed = gitBytes(root, ['diff', '--numstat', '-M', '-z', from ?? empty, after]).toString();
    const expected = printed
      .replace(/\t\0([^\0]*)\0([^\0]*)\0/g, '\t$1 => $2\0')
      .split('\0')
      .filter(Boolean)
      .sort();
    const changes = await compareTrees(objects, from, after);
    const ours = changes.map(({ path, renamedFrom, insertions, deletions, binary }) => {
      const counts = binary ? '-\t-' : `${insertions}\t${deletions}`;
      return `${counts}\t${renamedFrom === null ? path : `${renamedFrom} => ${path}`}`;
    });
    expect(ours.toSorted()).toEqual(expected);
  });

  it('names what happened to each path', async () => {
    const kinds = (await compareTrees(objects, before, after)).map(({ path, kind }) => `${kind} ${path}`);
    expect(kinds).toEqual([
      'added added.txt',
      'modified becomes-link',
      'modified changed.txt',
      'added dir',
      'deleted dir/file',
      'added empty',
      'deleted gone.txt',
      'modified image.bin',
      'modified latin1.txt',
      'modified mode.sh',
      'renamed to.txt',
      'modified ünï "quoted"\n.txt',
    ]);
    expect(await compareTrees(objects, after, after)).toEqual([]);
  });

  it('makes a patch that git apply takes, binary files apart', async () => {
    git(root, 'checkout', '-q', '--detach', 'HEAD^');
    const patch = await formatPatch(objects, before, after);
    const text = Buffer.from(patch).toString('latin1');
    expect(text).toContain('Binary files a/image.bin and b/image.bin differ');
    const appliable = text.replace(/diff --git a\/image\.bin[^]*?(?=diff --git)/, '');
    gitBytes(root, ['apply', '--index', '-'], { input: Buffer.from(appliable, 'latin1') });
    expect(git(root, 'diff', '--cached', '--name-only', after)).toBe('image.bin');
  });
});
