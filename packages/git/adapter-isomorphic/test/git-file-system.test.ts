import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import isomorphic from 'isomorphic-git';
import type { ObjectId } from '@cleveragents/git-domain';
import { commitFiles, fsck, git, makeProject, revision } from '@cleveragents/shared-testing/real-git';
import { gitFileSystem } from '../src/git-file-system.ts';
import { ObjectDatabase } from '../src/object-database.ts';
import { findRepository, gitPath, type RepositoryLayout } from '../src/repository-layout.ts';

let folder: string;
let root: string;
let layout: RepositoryLayout;
let first: ObjectId;
beforeEach(async () => {
  ({ folder, root } = makeProject());
  first = commitFiles(root, { file: '1', 'dir/other': 'x' });
  git(root, 'worktree', 'add', '-q', '-b', 'side', '../linked');
  commitFiles(join(folder, 'linked'), { file: '2' }, 'in the worktree');
  const found = await findRepository(join(folder, 'linked'));
  if (found === null) throw new Error('no repository');
  layout = found;
});
afterEach(() => {
  expect(fsck(root)).toBe('');
});

const repository = (
  signal?: AbortSignal,
): { fs: ReturnType<typeof gitFileSystem>; dir: string; gitdir: string } => ({
  fs: gitFileSystem(layout, signal),
  dir: join(folder, 'linked'),
  gitdir: layout.gitDirectory,
});

describe('isomorphic-git on a linked worktree', () => {
  it('reads HEAD, history and trees, loose and packed', async () => {
    for (const pack of [false, true]) {
      if (pack) git(root, 'gc', '-q');
      const log = await isomorphic.log(repository());
      expect(log.map(({ oid }) => oid)).toEqual([revision(root, 'side'), first]);
      expect(await isomorphic.currentBranch(repository())).toBe('side');
      expect(await isomorphic.listFiles({ ...repository(), ref: 'HEAD' })).toEqual(['dir/other', 'file']);
    }
  });

  it('writes objects to where all work trees see them', async () => {
    const oid = await isomorphic.writeBlob({ ...repository(), blob: Buffer.from('by isomorphic-git') });
    expect(git(root, 'cat-file', 'blob', oid)).toBe('by isomorphic-git');
  });

  it.each([
    ['a ref', () => isomorphic.branch({ ...repository(), ref: 'new' })],
    ['the index', () => isomorphic.add({ ...repository(), filepath: 'file' })],
    ['a file', () => isomorphic.checkout({ ...repository(), ref: 'main' })],
  ])('cannot write %s, for it heeds no lock', async (_, write) => {
    await expect(write()).rejects.toMatchObject({ code: 'EROFS' });
    expect(git(join(folder, 'linked'), 'status', '--porcelain', '--branch')).toBe('## side');
  });

  it('stops when the signal fires', async () => {
    await expect(isomorphic.log(repository(AbortSignal.abort()))).rejects.toThrow();
  });

  it('reads what our own store wrote, and the other way round', async () => {
    const objects = new ObjectDatabase(gitPath(layout, 'objects'));
    const id = objects.writeBlobSync(Buffer.from([0, 1, 2, 255]));
    const { blob } = await isomorphic.readBlob({ ...repository(), oid: id });
    expect(Buffer.from(blob)).toEqual(Buffer.from([0, 1, 2, 255]));
    const oid = await isomorphic.writeBlob({ ...repository(), blob: Buffer.from('x\0y') });
    expect(objects.readBlobSync(oid as ObjectId).toString()).toBe('x\0y');
  });
});
