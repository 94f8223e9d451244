import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forEachFaultPoint } from '@cleveragents/shared-testing';
import { git, makeRepository, removeFolder, temporaryFolder } from '@cleveragents/shared-testing/real-git';
import { acquireLockFile, readLockOwner, removeDeadLock } from '../src/lock-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'file');
  writeFileSync(file, 'old');
});
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('a lock file', () => {
  it('replaces the file on commit and leaves nothing else behind', async () => {
    const lock = await acquireLockFile(file);
    await lock.write(text('first'));
    await lock.write(text('new'));
    expect(readFileSync(file, 'utf8')).toBe('old');
    await lock.commit();
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves the file alone on release, which may be said twice', async () => {
    const lock = await acquireLockFile(file);
    await lock.write(text('new'));
    await lock.release();
    await lock.release();
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('is one that git respects', async () => {
    const root = makeRepository(join(folder, 'project'));
    const lock = await acquireLockFile(join(root, '.git/config'));
    expect(() => git(root, 'config', 'user.name', 'x')).toThrow('could not lock config file');
    await lock.release();
    git(root, 'config', 'user.name', 'x');
  });

  it('is refused while git or another process of ours holds it, and says which', async () => {
    writeFileSync(`${file}.lock`, '');
    await expect(acquireLockFile(file)).rejects.toMatchObject({
      code: 'GIT_LOCKED',
      data: { path: `${file}.lock`, owner: null },
    });
    rmSync(`${file}.lock`);
    const lock = await acquireLockFile(file);
    await expect(acquireLockFile(file, { timeoutMs: 5 })).rejects.toMatchObject({
      code: 'GIT_LOCKED',
      data: { path: `${file}.lock`, owner: process.pid },
    });
    await lock.release();
  });

  it('is waited for, and passes from one to the next without a lost update', async () => {
    writeFileSync(file, '0');
    const addOne = async (): Promise<void> => {
      const lock = await acquireLockFile(file, { timeoutMs: 60_000 });
      await lock.write(text(String(Number(readFileSync(file, 'utf8')) + 1)));
      await lock.commit();
    };
    await Promise.all(Array.from({ length: 50 }, addOne));
    expect(readFileSync(file, 'utf8')).toBe('50');
  });

  it('is given up when the signal fires', async () => {
    const lock = await acquireLockFile(file);
    const abort = new AbortController();
    const waiting = acquireLockFile(file, { timeoutMs: 60_000, signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'GIT_ABORTED' });
    await lock.release();
  });

  it('never replaces the file when somebody took the lock away by hand', async () => {
    const lock = await acquireLockFile(file);
    await lock.write(text('new'));
    rmSync(lock.path);
    const other = await acquireLockFile(file);
    await expect(lock.commit()).rejects.toMatchObject({ code: 'GIT_LOCKED' });
    await lock.release();
    expect(existsSync(other.path)).toBe(true);
    await other.release();
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('makes the folders it lies in', async () => {
    const lock = await acquireLockFile(join(folder, 'deep/er/file'));
    await lock.write(text('new'));
    await lock.commit();
    expect(readFileSync(join(folder, 'deep/er/file'), 'utf8')).toBe('new');
  });

  it('says that the operating system refused when a parent is a file', async () => {
    await expect(acquireLockFile(join(file, 'below'))).rejects.toMatchObject({ code: 'GIT_FILE_SYSTEM' });
  });
});

describe('a lock that a dead process left', () => {
  /** Runs a process that takes the lock and is killed with it in its hands. */
  function dieWithLock(): void {
    const module = fileURLToPath(new URL('support/die-with-lock.ts', import.meta.url));
    const root = fileURLToPath(new URL('../../../../', import.meta.url));
    const ended = spawnSync(
      process.execPath,
      ['--conditions=@cleveragents/source', '--import=tsx', module, file],
      { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'] } },
    );
    expect(ended).toMatchObject({ signal: 'SIGKILL', stderr: '' });
  }

  it('is known as ours and removed', async () => {
    dieWithLock();
    expect(await readLockOwner(`${file}.lock`)).not.toBeNull();
    expect(await removeDeadLock(`${file}.lock`)).toBe(true);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('stays when it is one of git, or of a process that lives', async () => {
    writeFileSync(`${file}.lock`, 'whatever git writes');
    expect(await removeDeadLock(`${file}.lock`)).toBe(false);
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('whatever git writes');
    rmSync(`${file}.lock`);
    expect(await removeDeadLock(`${file}.lock`)).toBe(false);
    const lock = await acquireLockFile(file);
    expect(await removeDeadLock(lock.path)).toBe(false);
    await lock.release();
  });
});

describe('a process whose system refuses one call', () => {
  it('has its lock at the next try all the same', async () => {
    const report = await forEachFaultPoint<string>({
      script: fileURLToPath(new URL('./support/lock-again.ts', import.meta.url)),
      kinds: ['error:EIO'],
      prepare: async () => temporaryFolder(),
      scene: (place) => ({ arguments: [join(place, 'index')], roots: [place] }),
      verify: async (place, point, { stdout, stderr }) => {
        expect(stderr).toBe('');
        const outcomes = JSON.parse(stdout) as readonly string[];
        const failures = outcomes.filter((outcome) => outcome !== 'done');
        expect(failures.length).toBeLessThan(point.kind === 'none' ? 1 : 2);
        expect([undefined, 'GIT_FILE_SYSTEM']).toContain(failures[0]);
        if (outcomes.at(-1) === 'done') expect(existsSync(join(place, 'index.lock'))).toBe(false);
      },
      dispose: async (place) => removeFolder(place),
    });
    expect(report.runs).toBeGreaterThan(10);
  });
});
