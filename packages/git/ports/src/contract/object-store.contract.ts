import assert from 'node:assert/strict';
import { type Commit, EMPTY_TREE_ID, type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import type { Contract } from '@cleveragents/shared-kernel';
import type { ObjectStore } from '../object-store.ts';

export interface ObjectStoreSubject {
  /** Without objects at first. */
  readonly objects: ObjectStore;
  /** Capability `realGit`: a git on the same objects; its output without the last line end. */
  git?(...args: readonly string[]): Promise<string>;
}
export type ObjectStoreCapability = 'realGit';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const MISSING = parseObjectId('0123456789'.repeat(4));

async function aCommit(objects: ObjectStore, more: Partial<Commit> = {}): Promise<Commit> {
  const blob = await objects.writeBlob(bytesOf('content\n'));
  const author = {
    name: 'Åsa',
    email: 'asa@example.invalid',
    timestampSeconds: 1234567890,
    offsetMinutes: -210,
  };
  return {
    tree: await objects.writeTree([{ name: 'file', mode: '100644', id: blob }]),
    parents: [],
    author,
    committer: { ...author, name: 'Carl', offsetMinutes: 60 },
    message: 'größer\n\nmit Text\n',
    ...more,
  };
}

export const objectStoreContract: Contract<ObjectStoreSubject, ObjectStoreCapability> = {
  name: 'ObjectStore',
  cases: [
    {
      name: 'reads back any bytes under the id that git gives them',
      run: async ({ objects }) => {
        const empty = await objects.writeBlob(new Uint8Array());
        assert.equal(empty, 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
        assert.equal(await objects.writeBlob(bytesOf('hello\n')), 'ce013625030ba8dba906f756967f9e9ca394464a');
        for (const bytes of [new Uint8Array(), bytesOf('hello\n'), new Uint8Array([0, 255, 10, 13, 0])]) {
          const id = await objects.writeBlob(bytes);
          assert.deepEqual(Uint8Array.from(await objects.readBlob(id)), bytes);
          assert.equal(await objects.has(id), true);
        }
      },
    },
    {
      name: 'takes the entries of a tree in any order and gives them back in git’s',
      run: async ({ objects }) => {
        const id = await objects.writeBlob(bytesOf('x'));
        const inner = await objects.writeTree([{ name: 'ü', mode: '120000', id }]);
        const entries = [
          { name: 'a.b', mode: '100644', id },
          { name: 'a', mode: '040000', id: inner },
          { name: 'a0', mode: '100755', id },
          { name: 'sub', mode: '160000', id: MISSING },
        ] as const;
        const tree = await objects.writeTree(entries.toReversed());
        assert.equal(tree, await objects.writeTree(entries));
        assert.deepEqual(await objects.readTree(tree), entries);
      },
    },
    {
      name: 'reads back a commit, every member of it',
      run: async ({ objects }) => {
        const root = await aCommit(objects);
        const parent = await objects.writeCommit(root);
        assert.deepEqual(await objects.readCommit(parent), root);
        const merge = await aCommit(objects, { parents: [parent, parent], message: 'without a line end' });
        assert.deepEqual(await objects.readCommit(await objects.writeCommit(merge)), merge);
      },
    },
    {
      name: 'knows the empty tree though nobody wrote it',
      run: async ({ objects }) => {
        assert.deepEqual(await objects.readTree(EMPTY_TREE_ID), []);
        assert.equal(await objects.writeTree([]), EMPTY_TREE_ID);
      },
    },
    {
      name: 'says that an object is missing',
      run: async ({ objects }) => {
        assert.equal(await objects.has(MISSING), false);
        const missing = { code: 'GIT_OBJECT_MISSING' };
        await assert.rejects(objects.readBlob(MISSING), missing);
        await assert.rejects(objects.readTree(MISSING), missing);
        await assert.rejects(objects.readCommit(MISSING), missing);
      },
    },
    {
      name: 'refuses to read an object as what it is not',
      run: async ({ objects }) => {
        const blob = await objects.writeBlob(bytesOf('x'));
        await assert.rejects(objects.readTree(blob), { code: 'GIT_CORRUPT' });
        await assert.rejects(objects.readCommit(blob), { code: 'GIT_CORRUPT' });
        const { tree } = await aCommit(objects);
        await assert.rejects(objects.readBlob(tree), { code: 'GIT_CORRUPT' });
      },
    },
    {
      name: 'shows real git at once what was written, and git finds it sound',
      requires: ['realGit'],
      run: async ({ objects, git = noGit }) => {
        const commit = await aCommit(objects);
        const id = await objects.writeCommit(commit);
        await git('update-ref', 'refs/heads/written', id);
        assert.equal(await git('fsck', '--strict', '--no-dangling'), '');
        assert.equal(await git('cat-file', 'blob', `${id}:file`), 'content');
        assert.equal(await git('log', '-1', '--format=%an|%ad|%cn|%s', '--date=iso', id), READ_BY_GIT);
      },
    },
    {
      name: 'sees what real git writes, packs and prunes meanwhile',
      requires: ['realGit'],
      run: async ({ objects, git = noGit }) => {
        const ids: ObjectId[] = [];
        for (let round = 0; round < 3; round++) {
          const written = await objects.writeCommit(await aCommit(objects, { message: `${round}\n` }));
          const tree = await git('rev-parse', `${written}^{tree}`);
          const byGit = parseObjectId(await git('commit-tree', '-p', written, '-m', `by git ${round}`, tree));
          await git('update-ref', `refs/heads/round-${round}`, byGit);
          ids.push(written, byGit);
          if (round > 0) await git('gc', '-q', '--prune=now');
          for (const id of ids) assert.equal((await objects.readCommit(id)).tree, tree);
        }
      },
    },
  ],
};

const READ_BY_GIT = 'Åsa|2009-02-13 20:01:30 -0330|Carl|größer';

function noGit(): never {
  throw new Error('the capability realGit needs `git`');
}
