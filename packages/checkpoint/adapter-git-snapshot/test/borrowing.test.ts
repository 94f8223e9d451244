import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { planRestore } from '@cleveragents/checkpoint-domain';
import { withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import {
  createRepository,
  expectUnchanged,
  hermeticGitEnvironment,
  snapshot,
  temporaryDirectory,
  type TemporaryRepository,
} from '@cleveragents/shared-testing';

const FILES = Object.fromEntries(
  Array.from({ length: 60 }, (_, number) => [
    `d${number % 5}/file-${number}`,
    `content ${number}\n`.repeat(50),
  ]),
);

const COMMIT_NOTHING = 'commit --quiet --allow-empty -m new'.split(' ');

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const storeOf = (repository: TemporaryRepository): GitSnapshotStore =>
  new GitSnapshotStore({
    path: repository.path('.git/cleveragents/checkpoints.git'),
    durability: 'process',
  });

const keepRefs = async (repository: TemporaryRepository): Promise<readonly string[]> =>
  (await repository.git('for-each-ref', '--format=%(refname)', 'refs/cleveragents/keep'))
    .split('\n')
    .filter((line) => line !== '');

const picture = (root: string): ReturnType<typeof snapshot> => snapshot(root, { leaveOut: ['.git'] });

async function rollBack(store: GitSnapshotStore, root: string, target: string): Promise<void> {
  const safety = await store.capture(root, { alsoCover: [target] });
  const differences = await store.diff(safety.ref, target);
  await store.restore(root, planRestore({ differences, uncoveredNow: [], uncoveredThen: [] }));
  await store.release([safety.ref]);
}

/** A work tree of a branch of its own, as a sandbox is. */
async function sandboxOf(repository: TemporaryRepository): Promise<string> {
  const root = join(temporaryDirectory().path, 'sandbox');
  await repository.git('worktree', 'add', '--quiet', '-b', 'plan', root);
  return root;
}

function fsck(storePath: string): void {
  execFileSync('git', [`--git-dir=${storePath}`, 'fsck', '--strict', '--full'], {
    env: hermeticGitEnvironment(),
    stdio: 'pipe',
  });
}

describe('a store in the repository of the sandbox', () => {
  it('writes nothing that the base commit holds, and holds that commit by a ref until all is released', async () => {
    await using repository = await createRepository({ files: FILES });
    const root = await sandboxOf(repository);
    const store = storeOf(repository);
    const { ref, addedBytes } = await store.capture(root);
    expect(addedBytes).toBeLessThan(bytesIn(join(root, 'd0')));
    expect(await keepRefs(repository)).toHaveLength(1);
    await repository.fsck();
    fsck(repository.path('.git/cleveragents/checkpoints.git'));
    await store.release([ref], { reclaim: 'now' });
    expect(await keepRefs(repository)).toEqual([]);
  });

  it('loses nothing when the branch goes, its history is rewritten, and everything unreachable is pruned', async () => {
    await using repository = await createRepository({ files: FILES });
    const root = await sandboxOf(repository);
    const store = storeOf(repository);
    const before = await picture(root);
    const { ref } = await store.capture(root);
    const detached = temporaryDirectory();
    renameSync(join(root, 'd0'), join(detached.path, 'd0'));
    renameSync(join(root, '.git'), join(detached.path, '.git'));
    await repository.git('worktree', 'prune');
    await repository.git('branch', '-D', 'plan');
    await repository.git('checkout', '--quiet', '--orphan', 'new');
    await repository.git('rm', '-r', '--quiet', '--force', '.');
    await repository.git(...COMMIT_NOTHING);
    await repository.git('branch', '-D', 'main');
    await repository.git('reflog', 'expire', '--expire=now', '--all');
    await repository.git('gc', '--quiet', '--aggressive', '--prune=now');
    await repository.git('pack-refs', '--all');
    for (const one of [store, storeOf(repository)]) {
      await rollBack(one, root, ref);
      expectUnchanged(before, await picture(root));
    }
    fsck(repository.path('.git/cleveragents/checkpoints.git'));
    await store.release([ref], { reclaim: 'now' });
    expect(await keepRefs(repository)).toEqual([]);
    await repository.fsck();
  });

  it('makes the ref anew when somebody removed it', async () => {
    await using repository = await createRepository({ files: FILES });
    const root = await sandboxOf(repository);
    await storeOf(repository).capture(root);
    const [name] = await keepRefs(repository);
    await repository.git('update-ref', '-d', name ?? '');
    await storeOf(repository).capture(root);
    expect(await keepRefs(repository)).toEqual([name]);
  });

  it('writes everything itself when what it borrowed was let go of and pruned', async () => {
    await using repository = await createRepository({ files: FILES });
    const root = await sandboxOf(repository);
    const before = await picture(root);
    const store = storeOf(repository);
    const lost = await store.capture(root);
    for (const ref of await keepRefs(repository)) await repository.git('update-ref', '-d', ref);
    renameSync(join(root, '.git'), join(temporaryDirectory().path, 'link'));
    await repository.git('worktree', 'prune');
    await repository.git('branch', '-D', 'plan');
    await repository.git('checkout', '--quiet', '--orphan', 'new');
    await repository.git('rm', '-r', '--quiet', '--force', '.');
    await repository.git(...COMMIT_NOTHING);
    await repository.git('branch', '-D', 'main');
    await repository.git('reflog', 'expire', '--expire=now', '--all');
    await repository.git('gc', '--quiet', '--prune=now');
    for (const one of [store, storeOf(repository)]) {
      const { ref } = await one.capture(root, { changedPaths: [] });
      renameSync(join(root, 'd0'), join(temporaryDirectory().path, 'd0'));
      await rollBack(one, root, ref);
      expectUnchanged(before, await picture(root));
      expect(await one.diff(lost.ref, ref)).toEqual([]);
    }
    await repository.fsck();
    fsck(repository.path('.git/cleveragents/checkpoints.git'));
  });

  it('does not borrow what was added and unstaged again: the next gc takes that', async () => {
    await using repository = await createRepository({ files: FILES });
    const root = await sandboxOf(repository);
    writeFileSync(join(root, 'added'), 'added and unstaged again');
    execFileSync('git', ['add', 'added'], { cwd: root, env: hermeticGitEnvironment() });
    const store = storeOf(repository);
    const before = await picture(root);
    const { ref } = await store.capture(root);
    execFileSync('git', ['reset', '--quiet'], { cwd: root, env: hermeticGitEnvironment() });
    rmSync(join(root, 'added'));
    await repository.git('gc', '--quiet', '--prune=now');
    await rollBack(store, root, ref);
    expectUnchanged(before, await picture(root));
  });

  it('survives a move of the repository', async () => {
    await using repository = await createRepository({ files: FILES });
    const root = await sandboxOf(repository);
    const before = await picture(root);
    const { ref } = await storeOf(repository).capture(root);
    renameSync(join(root, 'd0'), join(temporaryDirectory().path, 'd0'));
    const moved = join(temporaryDirectory().path, 'moved');
    renameSync(repository.root, moved);
    const store = new GitSnapshotStore({ path: join(moved, '.git/cleveragents/checkpoints.git') });
    await rollBack(store, root, ref);
    expectUnchanged(before, await picture(root));
    renameSync(moved, repository.root);
  });

  it('lets go of one work tree and keeps what another needs', async () => {
    await using repository = await createRepository({ files: FILES });
    const store = storeOf(repository);
    const first = await store.capture(await sandboxOf(repository));
    const second = await store.capture(repository.root);
    expect(await keepRefs(repository)).toHaveLength(2);
    await store.release([first.ref], { reclaim: 'now' });
    expect(await keepRefs(repository)).toHaveLength(1);
    expect(await store.diff(second.ref, (await store.capture(repository.root)).ref)).toEqual([]);
  });

  it.each(['while it is there', 'after somebody removed it'])(
    'leaves alone what another store in the repository keeps, %s',
    async (when) => {
      await using repository = await createRepository({ files: FILES });
      const path = repository.path('.git/agent/checkpoints.git');
      const other = new GitSnapshotStore({ path, durability: 'process' });
      await other.capture(repository.root);
      const kept = await keepRefs(repository);
      const store = storeOf(repository);
      const { ref } = await store.capture(repository.root);
      expect(await keepRefs(repository)).toHaveLength(2);
      if (when === 'while it is there') await store.release([ref], { reclaim: 'now' });
      else rmSync(repository.path('.git/cleveragents'), { recursive: true });
      expect(other.inspection.leftKeeps()).toEqual([]);
      await store.dropLeftKeeps();
      expect(await keepRefs(repository)).toEqual(kept);
      await repository.fsck();
    },
  );

  it('has nothing left over while somebody is at work, who may still need it', async () => {
    await using repository = await createRepository({ files: FILES });
    const path = repository.path('.git/cleveragents/checkpoints.git');
    const store = storeOf(repository);
    const { ref } = await store.capture(repository.root);
    rmSync(join(path, 'refs/snapshots', ref));
    await withDirectoryLock(`${path}.lock`, () => {
      expect(store.inspection.leftKeeps()).toEqual([]);
    });
    expect(store.inspection.leftKeeps()).toHaveLength(1);
  });

  it('borrows nothing of a partial clone, whose objects come and go', async () => {
    await using repository = await createRepository({ files: FILES });
    await repository.git('config', 'extensions.partialClone', 'origin');
    await storeOf(repository).capture(repository.root);
    expect(await keepRefs(repository)).toEqual([]);
  });
});

it('a store elsewhere borrows nothing', async () => {
  await using repository = await createRepository({ files: FILES });
  const path = join(temporaryDirectory().path, 'store.git');
  await new GitSnapshotStore({ path, durability: 'process' }).capture(repository.root);
  expect(await keepRefs(repository)).toEqual([]);
  expect(readdirSync(join(path, 'objects', 'info'))).toEqual([]);
});

it('content that a filter made of a committed file is held byte for byte', async () => {
  await using repository = await createRepository({ files: { 'a.txt': 'one\ntwo\n' } });
  await repository.write('.git/info/attributes', '*.txt text eol=crlf\n');
  await repository.git('rm', '--cached', '--quiet', 'a.txt');
  await repository.git('reset', '--hard', '--quiet');
  expect(readFileSync(repository.path('a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
  const store = storeOf(repository);
  const { ref } = await store.capture(repository.root);
  await repository.write('a.txt', 'other');
  await rollBack(store, repository.root, ref);
  expect(readFileSync(repository.path('a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
});
