import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Commit, EMPTY_TREE_ID, type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import {
  commitFiles,
  fsck,
  git,
  gitBytes,
  makeProject,
  revision,
} from '@cleveragents/shared-testing/real-git';
import { ObjectDatabase } from '../src/object-database.ts';
import { hashBlob } from '../src/stored-object.ts';

let root: string;
let objects: ObjectDatabase;
beforeEach(() => {
  ({ root } = makeProject());
  objects = new ObjectDatabase(join(root, '.git/objects'));
});
afterEach(() => {
  objects.close();
});

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const missing = parseObjectId('1234567890'.repeat(4));

/** Versions of a few files that packs keep as chains of deltas. */
function fillWithHistory(commits = 6): void {
  const lines = Array.from({ length: 800 }, (_, at) => `line ${at} of a file that changes little`);
  for (let round = 0; round < commits; round++) {
    lines[round * 7] = `changed in round ${round}`;
    commitFiles(root, {
      'big.txt': lines.join('\n'),
      [`deep/folder/${round}.txt`]: `file ${round}`,
      'noise.bin': Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * at * (round + 1)) % 251)),
      empty: '',
    });
  }
  git(root, 'tag', '-a', '-m', 'a tag', 'annotated');
}

/** Every object of the repository as git has it. */
function allObjects(): readonly { id: ObjectId; type: string; bytes: Buffer }[] {
  const output = gitBytes(root, ['cat-file', '--batch-all-objects', '--batch']);
  const found = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf('\n', at);
    const [id = '', type = '', size] = output.toString('latin1', at, end).split(' ');
    found.push({ id: parseObjectId(id), type, bytes: output.subarray(end + 1, end + 1 + Number(size)) });
    at = end + Number(size) + 2;
  }
  return found;
}

function expectAllReadable(): void {
  const expected = allObjects();
  expect(expected.length).toBeGreaterThan(20);
  expect(expected.map(({ id }) => ({ id, ...objects.readObjectSync(id) }))).toEqual(expected);
}

describe('reading objects', () => {
  it('gives the bytes that git gives, loose', () => {
    fillWithHistory(4);
    expectAllReadable();
  });

  it.each([
    ['as git gc makes them', ['repack', '-q', '-adf', '--depth=50', '--window=50']],
    ['with an index of version 1', ['-c', 'pack.indexVersion=1', 'repack', '-q', '-adf']],
    [
      'with deltas that name their base by id',
      ['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-q', '-adf'],
    ],
    ['several of them, with a multi-pack index', ['repack', '-q', '-d', '--write-midx']],
  ])('gives the bytes that git gives, from packs %s', (_, command) => {
    fillWithHistory();
    git(root, ...command);
    git(root, 'prune-packed');
    expect(readdirSync(join(root, '.git/objects')).filter((name) => name.length === 2)).toEqual([]);
    expectAllReadable();
  });

  it('decodes commits, trees and blobs', async () => {
    fillWithHistory(3);
    const head = revision(root, 'HEAD');
    const commit = await objects.readCommit(head);
    expect(commit).toEqual({
      tree: revision(root, 'HEAD^{tree}'),
      parents: [revision(root, 'HEAD^')],
      author: {
        name: 'Ada Author',
        email: 'ada@example.invalid',
        timestampSeconds: 1700000000,
        offsetMinutes: 60,
      },
      committer: {
        name: 'Carl Committer',
        email: 'carl@example.invalid',
        timestampSeconds: 1700000000,
        offsetMinutes: 60,
      },
      message: 'a commit\n',
    });
    expect(
      (await objects.readTree(commit.tree)).map(({ mode, name, id }) => `${mode} ${id} ${name}`).join('\n'),
    ).toBe(git(root, 'ls-tree', '--format=%(objectmode) %(objectname) %(path)', 'HEAD'));
    expect(Buffer.from(await objects.readBlob(hashBlob(text('')))).toString()).toBe('');
  });

  it('says which object is missing, damaged, or of another type', async () => {
    const head = commitFiles(root, { file: 'content' });
    await expect(objects.readBlob(missing)).rejects.toMatchObject({
      code: 'GIT_OBJECT_MISSING',
      data: { id: missing },
    });
    await expect(objects.readTree(head)).rejects.toMatchObject({
      code: 'GIT_CORRUPT',
      data: { type: 'commit' },
    });
    const path = join(root, '.git/objects', head.slice(0, 2), head.slice(2));
    chmodSync(path, 0o644);
    writeFileSync(path, readFileSync(path).subarray(0, 20));
    await expect(objects.readCommit(head)).rejects.toMatchObject({ code: 'GIT_CORRUPT', data: { id: head } });
    expect(await objects.has(missing)).toBe(false);
  });

  it('reports a pack that was cut short instead of reading past its end', async () => {
    fillWithHistory(3);
    git(root, 'gc', '-q');
    const ids = git(root, 'rev-list', '--all', '--objects', '--no-object-names')
      .split('\n')
      .map(parseObjectId);
    const [pack = ''] = readdirSync(join(root, '.git/objects/pack')).filter((name) => name.endsWith('.pack'));
    const path = join(root, '.git/objects/pack', pack);
    chmodSync(path, 0o644);
    writeFileSync(path, readFileSync(path).subarray(0, 60));
    const codes = new Set<unknown>();
    for (const id of ids)
      try {
        objects.readObjectSync(id);
      } catch (error) {
        codes.add((error as { code: unknown }).code);
      }
    expect(codes).toEqual(new Set(['GIT_CORRUPT']));
  });

  it('knows the empty tree, which is stored nowhere', async () => {
    expect(await objects.has(EMPTY_TREE_ID)).toBe(true);
    expect(await objects.readTree(EMPTY_TREE_ID)).toEqual([]);
  });

  it('finds what git added, packed and pruned since', () => {
    const first = commitFiles(root, { file: '1' });
    expect(objects.readObjectSync(first).type).toBe('commit');
    for (let round = 0; round < 5; round++) {
      const next = commitFiles(root, { file: `again ${round}` });
      git(root, 'gc', '-q', '--prune=now');
      expect([objects.readObjectSync(next).type, objects.readObjectSync(first).type]).toEqual([
        'commit',
        'commit',
      ]);
    }
  });
});

describe('writing objects', () => {
  it('makes objects that git reads back and finds sound', async () => {
    const blob = await objects.writeBlob(text('bytes \0 and more'));
    const tree = await objects.writeTree([
      { name: 'file', mode: '100755', id: blob },
      { name: 'a', mode: '040000', id: await objects.writeTree([{ name: 'ü', mode: '120000', id: blob }]) },
    ]);
    const who = {
      name: 'Zoë',
      email: 'z@example.invalid',
      timestampSeconds: 1234567890,
      offsetMinutes: -210,
    };
    const commit: Commit = { tree, parents: [], author: who, committer: who, message: 'größer\n\nbody\n' };
    const id = await objects.writeCommit(commit);
    await objects.flush();
    git(root, 'update-ref', 'refs/heads/main', id);
    expect(fsck(root)).toBe('');
    expect(git(root, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD')).toBe(
      '120000 "a/\\303\\274"\n100755 file',
    );
    expect(git(root, 'log', '-1', '--format=%an %ad %s', '--date=iso')).toBe(
      'Zoë 2009-02-13 20:01:30 -0330 größer',
    );
    expect(await objects.readCommit(id)).toEqual(commit);
  });

  it('leaves alone what is there already, loose or packed, but marks it as in use', () => {
    commitFiles(root, { file: 'content' });
    const id = hashBlob(text('content'));
    const path = join(root, '.git/objects', id.slice(0, 2), id.slice(2));
    utimesSync(path, 1000, 1000);
    objects.writeBlobSync(text('content'));
    expect(statSync(path).mtimeMs).toBeGreaterThan(1e12);
    git(root, 'gc', '-q');
    const packs = join(root, '.git/objects/pack');
    const pack = join(packs, readdirSync(packs).find((name) => name.endsWith('.pack')) ?? '');
    utimesSync(pack, 1000, 1000);
    new ObjectDatabase(join(root, '.git/objects')).writeBlobSync(text('content'));
    expect(existsSync(path)).toBe(false);
    expect(statSync(pack).mtimeMs).toBeGreaterThan(1e12);
  });

  it('leaves no half-written file behind', () => {
    objects.writeBlobSync(text('x'));
    const files = readdirSync(join(root, '.git/objects'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.includes('tmp_obj'))).toEqual([]);
    const id = hashBlob(text('x'));
    expect(statSync(join(root, '.git/objects', id.slice(0, 2), id.slice(2))).mode & 0o777).toBe(0o444);
  });

  it('makes the fan-out folder again when git removed it', () => {
    const id = objects.writeBlobSync(text('x'));
    rmSync(join(root, '.git/objects', id.slice(0, 2)), { recursive: true });
    objects.writeBlobSync(text('x'));
    expect(git(root, 'cat-file', 'blob', id)).toBe('x');
  });

  it('gives any bytes the id that git gives, and reads them back', () => {
    const store = new ObjectDatabase(join(root, '.git/objects'));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
        const id = store.writeBlobSync(bytes);
        expect(store.readBlobSync(id)).toEqual(Buffer.from(bytes));
        return true;
      }),
      { numRuns: 40 },
    );
    expect(fsck(root)).toBe('');
  });
});
