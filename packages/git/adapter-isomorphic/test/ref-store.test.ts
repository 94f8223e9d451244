import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import {
  commitFiles,
  fsck,
  git,
  GIT_ENVIRONMENT,
  gitBytes,
  makeProject,
  revision,
  write,
} from '@cleveragents/shared-testing/real-git';
import { GitConfig } from '../src/git-config.ts';
import { acquireLockFile } from '../src/lock-file.ts';
import { RefStore } from '../src/ref-store.ts';
import { findRepository } from '../src/repository-layout.ts';

let folder: string;
let root: string;
let first: ObjectId;
let second: ObjectId;
beforeEach(() => {
  ({ folder, root } = makeProject());
  first = commitFiles(root, { file: '1' });
  second = commitFiles(root, { file: '2' });
});
afterEach(() => {
  expect(fsck(root)).toBe('');
});

async function open(directory = root): Promise<RefStore> {
  const layout = await findRepository(directory);
  if (layout === null) throw new Error('no repository');
  return new RefStore({
    layout,
    config: await GitConfig.load(layout, GIT_ENVIRONMENT),
    environment: GIT_ENVIRONMENT,
  });
}

const listed = (refs: readonly { name: string; target: string }[]): string =>
  refs.map(({ name, target }) => `${target} ${name}`).join('\n');

describe('reading refs', () => {
  it('finds loose, packed and symbolic ones, and takes the loose value over the packed one', async () => {
    git(root, 'branch', 'packed', first);
    git(root, 'tag', '-a', '-m', 'x', 'annotated', first);
    git(root, 'pack-refs', '--all');
    git(root, 'branch', '-f', 'packed', second);
    git(root, 'branch', 'loose', first);
    git(root, 'symbolic-ref', 'refs/heads/symbolic', 'refs/heads/loose');
    const refs = await open();
    for (const name of [
      'HEAD',
      'refs/heads/packed',
      'refs/heads/loose',
      'refs/heads/symbolic',
      'refs/tags/annotated',
    ])
      expect(await refs.read(name)).toBe(revision(root, name));
    expect(await refs.read('refs/heads/missing')).toBeNull();
    expect(await refs.read('refs/heads')).toBeNull();
  });

  it('lists what git for-each-ref lists, in its order', async () => {
    for (const name of ['a', 'a-b', 'a.b', 'deep/er/b', 'deep/a', 'ä', '𐀀', '豈'])
      git(root, 'branch', name, first);
    git(root, 'pack-refs', '--all');
    for (const name of ['z', 'deep/loose', 'a']) git(root, 'branch', '-f', name, second);
    git(root, 'update-ref', 'refs/remotes/origin/x', first);
    git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/x');
    git(root, 'symbolic-ref', 'refs/remotes/origin/dangling', 'refs/remotes/origin/nowhere');
    const refs = await open();
    for (const prefix of ['', 'refs/heads', 'refs/heads/deep', 'refs/heads/a', 'refs/none'])
      expect(listed(await refs.list(prefix))).toBe(
        git(root, 'for-each-ref', '--format=%(objectname) %(refname)', ...(prefix === '' ? [] : [prefix])),
      );
    git(root, 'symbolic-ref', '--delete', 'refs/remotes/origin/dangling');
  });

  it('keeps the private refs of work trees apart', async () => {
    git(root, 'worktree', 'add', '-q', '--detach', '../linked');
    const linked = join(folder, 'linked');
    git(root, 'update-ref', 'refs/worktree/mine', first);
    git(linked, 'update-ref', 'refs/worktree/mine', second);
    git(linked, 'update-ref', 'refs/bisect/bad', second);
    for (const directory of [root, linked]) {
      const refs = await open(directory);
      expect(await refs.read('refs/worktree/mine')).toBe(revision(directory, 'refs/worktree/mine'));
      expect(listed(await refs.list(''))).toBe(
        git(directory, 'for-each-ref', '--format=%(objectname) %(refname)'),
      );
    }
  });

  it('tells an unborn branch, a branch and a detached HEAD apart', async () => {
    const refs = await open();
    const gitDirectory = join(root, '.git');
    expect(await refs.readHead(gitDirectory)).toEqual({ branch: 'refs/heads/main', commit: second });
    git(root, 'checkout', '-q', '--detach', first);
    expect(await refs.readHead(gitDirectory)).toEqual({ branch: null, commit: first });
    git(root, 'checkout', '-q', '--orphan', 'unborn');
    expect(await refs.readHead(gitDirectory)).toEqual({ branch: 'refs/heads/unborn', commit: null });
  });

  it('refuses names that git refuses, before they become a path', async () => {
    const refs = await open();
    for (const name of [
      '../../etc/passwd',
      'refs/heads/../x',
      'refs/heads/a.lock',
      'refs/heads/',
      'config',
      '',
    ])
      await expect(refs.read(name)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('calls an empty ref damaged instead of guessing', async () => {
    write(root, '.git/refs/heads/broken', '');
    await expect((await open()).read('refs/heads/broken')).rejects.toMatchObject({ code: 'GIT_CORRUPT' });
    rmSync(join(root, '.git/refs/heads/broken'));
  });
});

describe('moving a ref', () => {
  it('makes, moves and logs a branch as git update-ref does', async () => {
    const refs = await open();
    git(root, 'update-ref', '--create-reflog', '-m', 'made:  by\nus ', 'refs/heads/theirs', first, '');
    git(root, 'update-ref', '-m', 'moved', 'refs/heads/theirs', second, first);
    const name = 'refs/heads/ours';
    await refs.update({ name, expected: null, target: first, message: 'made:  by\nus ' });
    await refs.update({ name, expected: first, target: second, message: 'moved' });
    expect(revision(root, name)).toBe(second);
    expect(readFileSync(join(root, '.git/logs', name), 'utf8')).toBe(
      readFileSync(join(root, '.git/logs/refs/heads/theirs'), 'utf8'),
    );
    expect(readdirSync(join(root, '.git/refs/heads')).sort()).toEqual(['main', 'ours', 'theirs']);
  });

  it('moves nothing when the ref stands elsewhere, exists already, or is gone', async () => {
    const refs = await open();
    const main = 'refs/heads/main';
    await expect(
      refs.update({ name: main, expected: first, target: first, message: '' }),
    ).rejects.toMatchObject({
      code: 'GIT_REF_MOVED',
      data: { ref: main, expected: first, actual: second },
    });
    await expect(
      refs.update({ name: main, expected: null, target: first, message: '' }),
    ).rejects.toMatchObject({
      code: 'GIT_REF_EXISTS',
    });
    await expect(
      refs.update({ name: 'refs/heads/gone', expected: first, target: second, message: '' }),
    ).rejects.toMatchObject({ code: 'GIT_REF_MOVED', data: { actual: null } });
    expect(revision(root, 'HEAD')).toBe(second);
    expect(readdirSync(join(root, '.git/refs/heads'))).toEqual(['main']);
  });

  it('compares a packed ref under the lock', async () => {
    git(root, 'branch', 'packed', first);
    git(root, 'pack-refs', '--all');
    const refs = await open();
    await refs.update({ name: 'refs/heads/packed', expected: first, target: second, message: 'x' });
    expect(revision(root, 'packed')).toBe(second);
  });

  it('logs in the HEAD of every work tree that is on the branch, and in no other', async () => {
    git(root, 'worktree', 'add', '-q', '-b', 'side', '../side', first);
    git(root, 'worktree', 'add', '-q', '-b', 'other', '../other', first);
    const refs = await open();
    await refs.update({ name: 'refs/heads/side', expected: first, target: second, message: 'by us' });
    expect(git(join(folder, 'side'), 'reflog', '-1', '--format=%H %gs', 'HEAD')).toBe(`${second} by us`);
    expect(git(join(folder, 'other'), 'reflog', '-1', '--format=%gs', 'HEAD')).not.toBe('by us');
    expect(git(root, 'reflog', '-1', '--format=%gs', 'HEAD')).not.toBe('by us');
  });

  it.each([
    ['true', 'refs/heads/x', true],
    ['true', 'refs/cleveragents/x', false],
    ['always', 'refs/cleveragents/x', true],
    ['false', 'refs/heads/x', false],
  ])('with core.logAllRefUpdates %s begins a log of %s: %s', async (value, name, expected) => {
    git(root, 'config', 'core.logAllRefUpdates', value);
    await (await open()).update({ name, expected: null, target: first, message: 'x' });
    expect(existsSync(join(root, '.git/logs', name))).toBe(expected);
  });

  it('goes on with a log that is there, whatever the configuration says', async () => {
    git(root, 'config', 'core.logAllRefUpdates', 'false');
    await (
      await open()
    ).update({ name: 'refs/heads/main', expected: second, target: first, message: 'back' });
    expect(git(root, 'reflog', '-1', '--format=%gs', 'main')).toBe('back');
    git(root, 'reset', '-q', '--hard');
  });

  it.each([false, true])('refuses a ref that another one blocks (packed: %s)', async (packed) => {
    git(root, 'branch', 'a', first);
    git(root, 'branch', 'b/c/d', first);
    if (packed) git(root, 'pack-refs', '--all');
    const refs = await open();
    for (const [name, blocker] of [
      ['refs/heads/a/x', 'refs/heads/a'],
      ['refs/heads/a/x/y', 'refs/heads/a'],
      ['refs/heads/b', 'refs/heads/b/c/d'],
      ['refs/heads/b/c', 'refs/heads/b/c/d'],
    ] as const)
      await expect(refs.update({ name, expected: null, target: first, message: '' })).rejects.toMatchObject({
        code: 'GIT_REF_BLOCKED',
        data: { blocker },
      });
    await refs.update({ name: 'refs/heads/b/c/e', expected: null, target: first, message: '' });
  });

  it('takes the place of folders that hold no ref any more', async () => {
    mkdirSync(join(root, '.git/refs/heads/a/b/c'), { recursive: true });
    mkdirSync(join(root, '.git/logs/refs/heads/a/b'), { recursive: true });
    await (await open()).update({ name: 'refs/heads/a', expected: null, target: first, message: 'x' });
    expect(git(root, 'reflog', '-1', '--format=%gs', 'a')).toBe('x');
  });

  it('holds the lock between prepare and commit, so that git cannot move the ref', async () => {
    const refs = await open();
    const update = { name: 'refs/heads/main', expected: second, target: first, message: 'x' };
    const prepared = await refs.prepare(update);
    expect(existsSync(prepared.lockPath)).toBe(true);
    expect(() => git(root, 'update-ref', 'refs/heads/main', first)).toThrow('cannot lock ref');
    await expect(refs.update(update)).rejects.toMatchObject({ code: 'GIT_LOCKED' });
    await prepared.abort();
    expect(revision(root, 'main')).toBe(second);
    await (await refs.prepare(update)).commit();
    expect(revision(root, 'main')).toBe(first);
    git(root, 'reset', '-q', '--hard');
  });

  it('follows a symbolic ref and leaves it symbolic', async () => {
    git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    await (await open()).update({ name: 'refs/heads/alias', expected: second, target: first, message: 'x' });
    expect(git(root, 'symbolic-ref', 'refs/heads/alias')).toBe('refs/heads/main');
    expect(revision(root, 'main')).toBe(first);
    git(root, 'reset', '-q', '--hard');
  });
});

describe('deleting a ref', () => {
  it.each([false, true])('removes it with its log and its empty folders (packed: %s)', async (packed) => {
    git(root, 'branch', 'deep/er/branch', first);
    git(root, 'tag', '-a', '-m', 'x', 'annotated', first);
    git(root, 'branch', 'kept', first);
    if (packed) git(root, 'pack-refs', '--all');
    const refs = await open();
    await refs.delete('refs/heads/deep/er/branch', first);
    expect(git(root, 'for-each-ref', '--format=%(refname) %(*objectname)')).toBe(
      ['refs/heads/kept ', 'refs/heads/main ', `refs/tags/annotated ${first}`].join('\n'),
    );
    for (const gone of ['.git/refs/heads/deep', '.git/logs/refs/heads/deep'])
      expect(existsSync(join(root, gone))).toBe(false);
    expect(existsSync(join(root, '.git/refs/heads'))).toBe(true);
  });

  it('drops what an annotated tag was peeled to from packed-refs', async () => {
    git(root, 'tag', '-a', '-m', 'x', 'annotated', first);
    git(root, 'tag', 'later', first);
    git(root, 'pack-refs', '--all');
    await (await open()).delete('refs/tags/annotated', revision(root, 'annotated'));
    expect(git(root, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/tags/later');
    expect(readFileSync(join(root, '.git/packed-refs'), 'utf8')).not.toContain('^');
  });

  it('is fine with a ref that is gone, and keeps one that moved', async () => {
    git(root, 'branch', 'moved', second);
    const refs = await open();
    await refs.delete('refs/heads/gone', first);
    await expect(refs.delete('refs/heads/moved', first)).rejects.toMatchObject({ code: 'GIT_REF_MOVED' });
    expect(revision(root, 'moved')).toBe(second);
  });

  it('waits for packed-refs to be unlocked, and keeps the ref when it is not', async () => {
    git(root, 'branch', 'packed', first);
    git(root, 'pack-refs', '--all');
    const lock = await acquireLockFile(join(root, '.git/packed-refs'));
    const refs = await open();
    await expect(refs.delete('refs/heads/packed', first)).rejects.toMatchObject({ code: 'GIT_LOCKED' });
    expect(revision(root, 'packed')).toBe(first);
    const deleting = refs.delete('refs/heads/packed', first, { timeoutMs: 60_000 });
    await lock.release();
    await deleting;
    expect(git(root, 'branch', '--list', 'packed')).toBe('');
  });
});

describe('HEAD', () => {
  it('is put on a branch or a commit, with a line in its log', async () => {
    git(root, 'branch', 'side', first);
    const refs = await open();
    await refs.setHead(join(root, '.git'), { branch: 'refs/heads/side' }, 'to side');
    expect(git(root, 'symbolic-ref', 'HEAD')).toBe('refs/heads/side');
    await refs.setHead(join(root, '.git'), { commit: second }, 'to second');
    expect(git(root, 'rev-parse', 'HEAD')).toBe(second);
    expect(git(root, 'reflog', '-2', '--format=%H %gs')).toBe(`${second} to second\n${first} to side`);
    git(root, 'reset', '-q', '--hard');
  });
});

describe('many writers at once', () => {
  const run = promisify(execFile);
  const gitAsync = async (...args: readonly string[]): Promise<string> =>
    (await run('git', args, { cwd: root, env: { ...GIT_ENVIRONMENT } })).stdout.trim();

  /** Moves main to a new child of its tip by our store; again when somebody else was faster. */
  async function advance(refs: RefStore, label: string): Promise<ObjectId> {
    for (;;) {
      const tip = parseObjectId((await refs.read('refs/heads/main')) ?? '');
      const child = parseObjectId(await gitAsync('commit-tree', '-p', tip, '-m', label, `${tip}^{tree}`));
      const update = { name: 'refs/heads/main', expected: tip, target: child, message: label };
      try {
        await refs.update(update, { timeoutMs: 60_000 });
        return child;
      } catch (error) {
        if (!hasCode(error, 'GIT_REF_MOVED')) throw error;
      }
    }
  }

  /** The same by git itself; null when git gave up. */
  async function commit(label: string): Promise<ObjectId | null> {
    try {
      await gitAsync('commit', '-q', '--allow-empty', '-m', label);
    } catch {
      return null;
    }
    return parseObjectId(await gitAsync('log', '-1', '--format=%H', `--grep=^${label}$`, 'main'));
  }

  /** Otherwise git looks whether a ref is called like the object id, and reads packed-refs for that, before it locks. */
  const READ_UNDER_LOCK = ['-c', 'core.warnAmbiguousRefs=false'];

  /** Moves main by `git update-ref`, which then reads the ref once, under its lock. */
  async function updateByGit(label: string): Promise<ObjectId> {
    for (;;) {
      const tip = await gitAsync('rev-parse', 'main');
      const child = parseObjectId(await gitAsync('commit-tree', '-p', tip, '-m', label, `${tip}^{tree}`));
      try {
        await gitAsync(...READ_UNDER_LOCK, 'update-ref', '-m', label, 'refs/heads/main', child, tip);
        return child;
      } catch {
        // somebody else was faster, or held the lock for longer than git waits
      }
    }
  }

  /** Four writers with ten rounds each, the first of them git; every one that succeeded must be in the history. */
  async function race(byGit: (label: string) => Promise<ObjectId | null>): Promise<void> {
    const refs = await open();
    const done: (ObjectId | null)[] = [];
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let round = 0; round < 10; round++) {
        const label = `writer ${writer} round ${round}`;
        done.push(writer === 0 ? await byGit(label) : await advance(refs, label));
      }
    });
    await Promise.all(writers);
    const history = git(root, 'rev-list', 'main').split('\n');
    const successes = done.filter((id) => id !== null);
    expect(successes.filter((id) => !history.includes(id))).toEqual([]);
    expect(history).toHaveLength(successes.length + 2);
    expect(git(root, 'reflog', '--format=%H', 'main').split('\n')).toEqual(history);
  }

  it('lose no update to each other, or to git commit', async () => {
    await race(commit);
  });

  // Not git commit: it keeps the packed-refs that it read at its start while size, inode and second are the same, and a
  // pack-refs in a loop makes such a file now and then. Git then loses updates by itself.
  it('lose no update to each other, to git update-ref or to git pack-refs', async () => {
    let packing = true;
    const pack = (async () => {
      while (packing) await gitAsync('pack-refs', '--all').catch(() => undefined);
    })();
    try {
      await race(updateByGit);
    } finally {
      packing = false;
      await pack;
    }
  });

  it('can make and delete branches below one folder while git packs and prunes', async () => {
    const refs = await open();
    const work = async (writer: number): Promise<void> => {
      for (let round = 0; round < 15; round++) {
        const name = `refs/heads/shared/${writer}/branch`;
        await refs.update({ name, expected: null, target: first, message: 'x' }, { timeoutMs: 60_000 });
        if (round % 5 === 0) await gitAsync('pack-refs', '--all').catch(() => undefined);
        await refs.delete(name, first, { timeoutMs: 60_000 });
      }
    };
    await Promise.all([0, 1, 2, 3].map(work));
    expect(gitBytes(root, ['for-each-ref', 'refs/heads/shared']).toString()).toBe('');
    expect(await refs.list('refs/heads/shared')).toEqual([]);
  });
});
