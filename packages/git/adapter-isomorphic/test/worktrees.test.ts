import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LinkedWorktree } from '@cleveragents/git-ports';
import { git } from '@cleveragents/shared-testing/real-git';
import { addWorktree } from '../src/isomorphic-operations.ts';
import { removeWorktree } from '../src/remove-worktree.ts';
import { litterIn, pictureOf } from './support/picture.ts';
import { linkIn, openAt, TestRepository, writeIn } from './support/worktrees.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = new TestRepository({
    '.gitignore': '*.log\n/cache/\n',
    'a.txt': 'a\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'src/b.txt': 'b\n',
    'src/deep/c.txt': 'c\n',
  });
});

afterEach(() => {
  repository.remove();
});

const owner = { planId: 'plan', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };

function newWorktree(name = 'sandbox') {
  return {
    path: join(repository.folder, name),
    branch: `refs/heads/cleveragents/${name}`,
    commit: repository.head(),
    owner,
  };
}

describe('a new worktree', () => {
  it('has the bytes of the commit, whatever the original holds at this moment', async () => {
    linkIn(repository.root, 'link', 'src');
    repository.write('run.sh', 'echo\n', 0o755);
    repository.write('big.bin', Buffer.alloc(3_000_000, 'x'));
    const commit = repository.commit('more');
    const expected = join(repository.folder, 'expected');
    repository.git('worktree', 'add', '-q', '--detach', expected, commit);
    repository.write('a.txt', 'dirty\n');
    repository.write('src/b.txt', 'B\n');
    rmSync(join(repository.root, 'src/deep'), { recursive: true });
    chmodSync(join(repository.root, 'run.sh'), 0o644);
    linkIn(repository.root, 'link', 'elsewhere');
    const { path } = await repository.addWorktree();
    expect(pictureOf(path)).toEqual({ ...pictureOf(expected) });
    expect(git(path, 'status', '--porcelain')).toBe('');
    expect(git(path, 'diff', 'HEAD')).toBe('');
  });

  it('shares no file with the original', async () => {
    const { path } = await repository.addWorktree();
    writeFileSync(join(path, 'a.txt'), 'X', { flag: 'r+' });
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('a\n');
    expect(statSync(join(path, 'src/b.txt')).nlink).toBe(1);
  });

  it('is no one else’s to look into', async () => {
    const { path } = await repository.addWorktree();
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('is undone whole when its caller aborts, or its time is over', async () => {
    for (let file = 0; file < 1000; file++) repository.write(`many/${file}`, `${file}`);
    repository.commit('many');
    const before = repository.state();
    const abort = new AbortController();
    const onProgress = (): void => abort.abort();
    const opened = await repository.open();
    await expect(
      addWorktree(opened, newWorktree(), { signal: abort.signal, onProgress }),
    ).rejects.toMatchObject({
      code: 'GIT_ABORTED',
    });
    await expect(addWorktree(await repository.open(20), newWorktree())).rejects.toMatchObject({
      code: expect.stringMatching(/GIT_TIMEOUT|GIT_LOCKED/),
    });
    expect(repository.state()).toEqual(before);
    expect(existsSync(newWorktree().path)).toBe(false);
    expect(litterIn(join(repository.root, '.git'))).toEqual([]);
  });

  it('does not disturb others that are made at the same time', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(names.map((name) => repository.addWorktree(name)));
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(6);
    for (const name of names) expect(git(join(repository.folder, name), 'status', '--porcelain')).toBe('');
    expect(repository.fsck()).toBe('');
  });

  it('takes another admin folder when one of its name is there', async () => {
    mkdirSync(join(repository.folder, 'other'));
    repository.git('worktree', 'add', '-q', '--detach', join(repository.folder, 'other/sandbox'));
    const { gitDirectory } = await repository.addWorktree('sandbox');
    expect(gitDirectory).toBe(join(repository.root, '.git/worktrees/sandbox1'));
  });

  it('is refused where the parent folder is missing, and leaves nothing', async () => {
    const path = join(repository.folder, 'none/sandbox');
    await expect(addWorktree(await repository.open(), { ...newWorktree(), path })).rejects.toMatchObject({
      code: 'GIT_FILE_SYSTEM',
    });
    expect(litterIn(join(repository.root, '.git'))).toEqual([]);
  });

  it('can be made from a linked worktree', async () => {
    const { path } = await repository.addWorktree('first');
    const layout = await addWorktree(await openAt(path), newWorktree('second'));
    expect(git(layout.workTree, 'status', '--porcelain', '--branch')).toBe('## cleveragents/second');
  });
});

describe('the removal of a worktree', () => {
  async function remove(worktree: Pick<LinkedWorktree, 'path' | 'gitDirectory'>, name = 'sandbox') {
    const branch = { name: `refs/heads/cleveragents/${name}`, expected: repository.head() };
    return removeWorktree(await repository.open(), { ...worktree, branch });
  }
  const done = { worktreeRemoved: true, branchDeleted: true, leftOver: [] };

  it.each<[string, (worktree: LinkedWorktree) => void]>([
    ['its folder is gone', ({ path }) => rmSync(path, { recursive: true })],
    ['its admin folder is gone', ({ gitDirectory }) => rmSync(gitDirectory, { recursive: true })],
    ['its pointer is gone', ({ path }) => rmSync(join(path, '.git'))],
    [
      'its files are gone but the folder is there',
      ({ path }) => (rmSync(path, { recursive: true }), mkdirSync(path)),
    ],
    ['the admin folder lost its pointer', ({ gitDirectory }) => rmSync(join(gitDirectory, 'gitdir'))],
    ['it is locked', ({ path }) => void repository.git('worktree', 'lock', path)],
    [
      'it is full of read-only folders',
      ({ path }) => (mkdirSync(join(path, 'ro/x'), { recursive: true }), chmodSync(join(path, 'ro'), 0o555)),
    ],
    ['its HEAD is detached', ({ path }) => void git(path, 'checkout', '-q', '--detach')],
  ])('works when %s', async (_what, change) => {
    const worktree = await repository.addWorktree('sandbox');
    change(worktree);
    expect(await remove(worktree)).toEqual(done);
    expect(await remove(worktree)).toEqual(done);
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(existsSync(worktree.path)).toBe(false);
    expect(litterIn(join(repository.root, '.git'))).toEqual([]);
  });

  it('keeps a folder that took the name since, and says so', async () => {
    const worktree = await repository.addWorktree('sandbox');
    rmSync(worktree.path, { recursive: true });
    writeIn(worktree.path, 'mine.txt', 'mine');
    const result = await remove(worktree);
    expect(result).toMatchObject({ worktreeRemoved: false, branchDeleted: true });
    expect(result.leftOver[0]?.path).toBe(worktree.path);
    expect(readFileSync(join(worktree.path, 'mine.txt'), 'utf8')).toBe('mine');
  });

  it('removes links and not what they lead to', async () => {
    const worktree = await repository.addWorktree('sandbox');
    symlinkSync(repository.root, join(worktree.path, 'node_modules'));
    expect(await remove(worktree)).toEqual(done);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('keeps a branch that somebody has checked out', async () => {
    const worktree = await repository.addWorktree('sandbox');
    const other = join(repository.folder, 'other');
    repository.git('worktree', 'add', '-q', '--force', other, 'cleveragents/sandbox');
    const result = await remove(worktree);
    expect(result).toMatchObject({ worktreeRemoved: true, branchDeleted: false });
    expect(result.leftOver).toEqual([
      { path: 'refs/heads/cleveragents/sandbox', reason: `it is checked out at ${other}` },
    ]);
    expect(git(other, 'status', '--porcelain', '--branch')).toBe('## cleveragents/sandbox');
  });
});

describe('restoring a worktree', () => {
  const branch = 'refs/heads/cleveragents/sandbox';

  async function expectRestored(worktree: LinkedWorktree, ignored: readonly string[] = []): Promise<void> {
    await worktree.restore(repository.head(), branch);
    const status = git(
      worktree.path,
      'status',
      '--porcelain',
      '--branch',
      '--ignored',
      '--untracked-files=all',
    );
    expect(status.split('\n')).toEqual(['## cleveragents/sandbox', ...ignored.map((path) => `!! ${path}`)]);
    expect(git(worktree.path, 'diff', 'HEAD')).toBe('');
    expect(git(worktree.path, 'rev-parse', 'HEAD')).toBe(repository.head());
    expect(litterIn(join(repository.root, '.git'))).toEqual([]);
  }

  it.each<[string, (path: string) => void]>([
    [
      'edits, new files and deletions',
      (path) => (
        writeIn(path, 'a.txt', 'x'),
        writeIn(path, 'n/e/w', 'x'),
        rmSync(join(path, 'src'), { recursive: true })
      ),
    ],
    ['an edit that leaves size and time as they were', (path) => writeIn(path, 'a.txt', 'b\n')],
    ['modes', (path) => chmodSync(join(path, 'a.txt'), 0o755)],
    [
      'files and directories that changed places',
      (path) => (
        rmSync(join(path, 'src'), { recursive: true }),
        writeIn(path, 'src', 'x'),
        rmSync(join(path, 'a.txt')),
        writeIn(path, 'a.txt/x/y', 'z')
      ),
    ],
    [
      'a link out of the worktree',
      (path) => (renameSync(join(path, 'src'), join(path, 'moved')), symlinkSync('/tmp', join(path, 'src'))),
    ],
    [
      'staged work',
      (path) => (
        writeIn(path, 'a.txt', 'x'),
        git(path, 'add', '-A'),
        git(path, 'rm', '-q', '--cached', 'src/b.txt')
      ),
    ],
    ['commits', (path) => (writeIn(path, 'a.txt', 'x'), git(path, 'commit', '-qam', 'x'))],
    ['another branch', (path) => git(path, 'checkout', '-q', '-b', 'agent')],
    [
      'a deleted branch',
      (path) => (
        git(path, 'checkout', '-q', '--detach'),
        git(path, 'branch', '-D', '-q', 'cleveragents/sandbox')
      ),
    ],
    ['a deleted index', () => rmSync(join(repository.root, '.git/worktrees/sandbox/index'))],
    [
      'a read-only directory',
      (path) => (writeIn(path, 'src/b.txt', 'x'), chmodSync(join(path, 'src'), 0o555)),
    ],
    ['a named pipe', (path) => (rmSync(join(path, 'a.txt')), execFileSync('mkfifo', [join(path, 'a.txt')]))],
  ])('undoes %s', async (_what, change) => {
    const worktree = await repository.addWorktree('sandbox');
    change(worktree.path);
    await expectRestored(worktree);
  });

  it('ends what is in progress', async () => {
    const worktree = await repository.addWorktree('sandbox');
    writeIn(worktree.path, 'a.txt', 'ours\n');
    git(worktree.path, 'commit', '-qam', 'ours');
    repository.commit('theirs', { 'a.txt': 'theirs\n' });
    expect(() => git(worktree.path, 'rebase', 'main')).toThrow();
    await expectRestored(worktree);
    expect(git(worktree.path, 'status')).not.toContain('rebase');
  });

  it('keeps ignored files, also when they stand in the way', async () => {
    const worktree = await repository.addWorktree('sandbox');
    writeIn(worktree.path, 'x.log', 'ignored');
    rmSync(join(worktree.path, 'a.txt'));
    writeIn(worktree.path, 'a.txt/kept.log', 'ignored');
    await worktree.restore(repository.head(), branch);
    expect(readFileSync(join(worktree.path, 'x.log'), 'utf8')).toBe('ignored');
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(worktree.path, 'a.txt~kept/kept.log'), 'utf8')).toBe('ignored');
  });

  it('keeps a repository that lies in the worktree', async () => {
    const worktree = await repository.addWorktree('sandbox');
    mkdirSync(join(worktree.path, 'nested'));
    git(join(worktree.path, 'nested'), 'init', '-q');
    writeIn(worktree.path, 'nested/work', 'x');
    await worktree.restore(repository.head(), branch);
    expect(existsSync(join(worktree.path, 'nested/work'))).toBe(true);
  });

  it('makes any state the one of the commit', async () => {
    const names = fc.constantFrom('a.txt', 'src', 'b.txt', 'deep', 'new', 'é');
    const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
    const worktree = await repository.addWorktree('sandbox');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(paths, fc.boolean()), { maxLength: 8 }), async (list) => {
        for (const [path, staged] of list) {
          makeWay(worktree.path, path);
          writeIn(worktree.path, path, 'by the agent');
          if (staged) git(worktree.path, 'add', '-A');
        }
        await expectRestored(worktree);
      }),
      { numRuns: 12 },
    );
  }, 60_000);
});

/** Removes whatever stands where a path, or a directory above it, is to come. */
function makeWay(root: string, path: string): void {
  const segments = path.split('/');
  segments.forEach((_, at) => {
    const address = join(root, ...segments.slice(0, at + 1));
    const isLast = at === segments.length - 1;
    if (isLast || (existsSync(address) && !statSync(address).isDirectory()))
      rmSync(address, { recursive: true, force: true });
  });
}
