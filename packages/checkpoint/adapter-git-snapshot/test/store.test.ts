import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { planRestore } from '@cleveragents/checkpoint-domain';
import { temporaryName } from '@cleveragents/shared-adapter-fs';
import { hermeticGitEnvironment } from '@cleveragents/shared-testing';
import { type DiskSubject, diskSubject } from './support/disk-workspace.ts';

/** Greater than any that Linux gives. */
const DEAD_PID = 4_194_305;

function git(storePath: string, ...args: string[]): string {
  return execFileSync('git', [`--git-dir=${storePath}`, ...args], {
    env: hermeticGitEnvironment(),
    encoding: 'utf8',
  });
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function packsOf(storePath: string): readonly string[] {
  const folder = join(storePath, 'objects', 'pack');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.idx'))
    .map((name) => join(folder, name));
}

async function restoreTo(store: GitSnapshotStore, root: string, target: string): Promise<void> {
  const safety = await store.capture(root, { alsoCover: [target] });
  const differences = await store.diff(safety.ref, target);
  await store.restore(root, planRestore({ differences, uncoveredNow: [], uncoveredThen: [] }));
  await store.release([safety.ref]);
}

async function filled(count: number): Promise<DiskSubject> {
  const subject = await diskSubject();
  for (let number = 0; number < count; number++)
    await subject.workspace.write(`directory-${number % 7}/file-${number}`, `content ${number}`);
  return subject;
}

describe('the store', () => {
  it('is a repository that real git finds sound, of packs and of single objects', async () => {
    const { store, workspace, storePath } = await filled(40);
    await workspace.write('.GIT', 'a name that git takes for its own', 0o640);
    const first = await store.capture(workspace.root);
    await workspace.write('directory-1/file-1', 'another');
    const second = await store.capture(workspace.root);
    git(storePath, 'fsck', '--strict', '--full');
    expect(git(storePath, 'cat-file', 'blob', `refs/snapshots/${second.ref}:files/directory-1/file-1`)).toBe(
      'another',
    );
    expect(
      git(storePath, 'diff', '--name-only', `refs/snapshots/${first.ref}`, `refs/snapshots/${second.ref}`),
    ).toBe('files/directory-1/file-1\n');
  });

  it('stays sound and complete when parts of packs are thrown away', async () => {
    const { store, workspace, storePath } = await filled(40);
    const first = await store.capture(workspace.root);
    for (let number = 0; number < 40; number += 2)
      await workspace.write(`directory-${number % 7}/file-${number}`, 'new');
    const second = await store.capture(workspace.root);
    const before = bytesIn(join(storePath, 'objects'));
    const freed = await store.release([first.ref], { reclaim: 'now' });
    expect(freed).toBeGreaterThan(0);
    expect(bytesIn(join(storePath, 'objects'))).toBeLessThan(before);
    git(storePath, 'fsck', '--strict', '--full');
    expect(
      git(storePath, 'ls-tree', '-r', '--name-only', `refs/snapshots/${second.ref}:files`).split('\n'),
    ).toHaveLength(41);
    expect(await store.diff(second.ref, (await store.capture(workspace.root)).ref)).toEqual([]);
  });

  it('holds nothing once every snapshot is released', async () => {
    const { store, workspace, storePath } = await filled(20);
    const { ref } = await store.capture(workspace.root);
    await store.release([ref], { reclaim: 'now' });
    expect(bytesIn(join(storePath, 'objects'))).toBe(0);
    const again = await store.capture(workspace.root);
    expect(await store.diff(null, again.ref)).toHaveLength(27);
    git(storePath, 'fsck', '--strict', '--full');
  });

  it('stays near the size of what it keeps while snapshots come and go', async () => {
    const { store, workspace, storePath } = await diskSubject();
    const size = 600_000;
    const refs: string[] = [];
    for (let version = 0; version < 60; version++) {
      writeFileSync(workspace.path('data'), randomBytes(size));
      refs.push((await store.capture(workspace.root)).ref);
      if (refs.length > 15) await store.release(refs.splice(1, 1));
    }
    expect(bytesIn(storePath)).toBeLessThan(1.15 * 15 * size);
  });

  it('is understood by another process, whose hints are about what this one left', async () => {
    const { store, workspace, reopen } = await filled(20);
    await store.capture(workspace.root);
    await workspace.write('directory-3/file-3', 'by the other');
    const other = reopen();
    const hinted = await other.capture(workspace.root, { changedPaths: ['directory-3/file-3' as never] });
    await workspace.write('directory-4/file-4', 'by this one');
    const mine = await store.capture(workspace.root, { changedPaths: ['directory-4/file-4' as never] });
    const whole = await store.capture(workspace.root);
    expect((await store.diff(hinted.ref, mine.ref)).map(({ path }) => path)).toEqual(['directory-4/file-4']);
    expect(await store.diff(mine.ref, whole.ref)).toEqual([]);
  });

  it('is read, pruned and written on after somebody ran gc in it', async () => {
    const { store, workspace, storePath, reopen } = await filled(40);
    const text = Array.from({ length: 3000 }, (_, number) => `line ${number} of a text that compresses\n`);
    const refs: string[] = [];
    const states: unknown[] = [];
    for (let version = 0; version < 4; version++) {
      await workspace.write('long', text.with(version * 500, `version ${version}\n`).join(''));
      refs.push((await store.capture(workspace.root)).ref);
      states.push(await workspace.describe());
    }
    git(storePath, 'gc', '--quiet', '--aggressive', '--prune=now');
    git(storePath, 'multi-pack-index', 'write');
    git(storePath, 'commit-graph', 'write', '--reachable');
    expect(git(storePath, 'verify-pack', '--verbose', ...packsOf(storePath))).toMatch(/chain length = /);
    for (const one of [store, reopen()]) {
      await restoreTo(one, workspace.root, refs[0] ?? '');
      expect(await workspace.describe()).toEqual(states[0]);
      await restoreTo(one, workspace.root, refs[3] ?? '');
      expect(await workspace.describe()).toEqual(states[3]);
    }
    await reopen().release(refs.slice(1, 3), { reclaim: 'now' });
    git(storePath, 'fsck', '--strict', '--full');
    await expect(reopen().uncovered(refs[1] ?? '')).rejects.toMatchObject({
      code: 'CHECKPOINT_NOT_RESTORABLE',
    });
    await restoreTo(reopen(), workspace.root, refs[0] ?? '');
    expect(await workspace.describe()).toEqual(states[0]);
  });

  it('does not believe a stat cache that was damaged', async () => {
    const { store, workspace, storePath, reopen } = await filled(20);
    await store.capture(workspace.root);
    const [cache = ''] = readdirSync(join(storePath, 'stat-caches'));
    writeFileSync(join(storePath, 'stat-caches', cache), '["f","half a li');
    await workspace.write('directory-4/file-4', 'new');
    const captured = await reopen().capture(workspace.root, { changedPaths: [] });
    const whole = await reopen().capture(workspace.root);
    expect(await store.diff(captured.ref, whole.ref)).toEqual([]);
  });
});

it('ends a capture in the middle of a large tree when its signal says so, and leaves no snapshot', async () => {
  const { store, storePath, workspace } = await diskSubject();
  for (let number = 0; number < 1500; number++) await workspace.write(`d/${number}`, `content ${number}`);
  const reason = new Error('nobody waits');
  const controller = new AbortController();
  const capture = store.capture(workspace.root, { signal: controller.signal, claimant: 'the plan' });
  setImmediate(() => {
    controller.abort(reason);
  });
  await expect(capture).rejects.toBe(reason);
  expect(readdirSync(join(storePath, 'refs', 'snapshots'))).toEqual([]);
  expect((await store.capture(workspace.root)).fileCount).toBe(1500);
});

it('takes no temporary file of a dead process for a snapshot, and sweeps them', async () => {
  const { store, workspace, storePath } = await filled(3);
  const { ref } = await store.capture(workspace.root);
  const { ref: released } = await store.capture(workspace.root);
  const folders = ['', 'refs/snapshots', 'refs/caches', 'stat-caches'].map((name) => join(storePath, name));
  const temporaries = folders.map((folder) =>
    join(folder, temporaryName().replace(`p${process.pid}`, `p${DEAD_PID}`)),
  );
  for (const path of temporaries) writeFileSync(path, 'half');
  expect(store.inspection.settled()).toEqual([ref, released].sort());
  await store.release([released], { reclaim: 'now' });
  expect(temporaries.filter((path) => existsSync(path))).toEqual([]);
  git(storePath, 'fsck', '--strict', '--full');
});
