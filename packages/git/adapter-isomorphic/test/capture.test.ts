import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LinkedWorktree } from '@cleveragents/git-ports';
import { git, gitBytes } from '@cleveragents/shared-testing/real-git';
import { linkIn, TestRepository, writeIn } from './support/worktrees.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = new TestRepository({
    '.gitignore': '*.log\n/build/\n',
    'a.txt': 'a\n',
    'src/b.txt': 'b\n',
    'src/deep/c.txt': 'c\n',
    'src/script.sh': 'echo\n',
  });
});

afterEach(() => {
  repository.remove();
});

/** What `git add -A && git write-tree` says, without touching the worktree's own index. */
function treeByGit({ path, gitDirectory }: LinkedWorktree): string {
  const index = join(gitDirectory, 'index-of-the-test');
  copyFileSync(join(gitDirectory, 'index'), index);
  // by its time git knows of which files it cannot be sure
  const { atime, mtime } = statSync(join(gitDirectory, 'index'));
  utimesSync(index, atime, mtime);
  try {
    const environment = { GIT_INDEX_FILE: index };
    gitBytes(path, ['add', '-A'], { environment });
    return gitBytes(path, ['write-tree'], { environment }).toString().trim();
  } finally {
    rmSync(index, { force: true });
  }
}

async function expectAsGit(worktree: LinkedWorktree): Promise<void> {
  const index = readFileSync(join(worktree.gitDirectory, 'index'));
  const first = await worktree.capture();
  expect(readFileSync(join(worktree.gitDirectory, 'index')).equals(index)).toBe(true);
  expect(first.tree).toBe(treeByGit(worktree));
  expect(await worktree.capture()).toEqual(first);
}

describe('the tree of a worktree', () => {
  it('is that of its commit when nothing changed', async () => {
    const worktree = await repository.addWorktree();
    expect(await worktree.capture()).toEqual({
      tree: repository.treeOf('HEAD'),
      fileCount: 5,
      omitted: [],
      unresolved: [],
      mergeHead: null,
    });
  });

  it('has every change, also those that leave size and time as they were', async () => {
    const worktree = await repository.addWorktree();
    await worktree.capture();
    writeIn(worktree.path, 'a.txt', 'b\n');
    await expectAsGit(worktree);
    writeIn(worktree.path, 'a.txt', 'c\n');
    await expectAsGit(worktree);
  });

  it.each<[string, (worktree: LinkedWorktree) => void]>([
    ['a new file in a new directory', ({ path }) => writeIn(path, 'new/deep/file.txt', 'new\n')],
    ['an executable bit', ({ path }) => chmodSync(join(path, 'src/script.sh'), 0o755)],
    [
      'links, also to nowhere',
      ({ path }) => (linkIn(path, 'link', 'a.txt'), linkIn(path, 'src/none', '/nowhere')),
    ],
    ['a file that became a link', ({ path }) => linkIn(path, 'a.txt', 'src/b.txt')],
    ['deletions of whole directories', ({ path }) => rmSync(join(path, 'src'), { recursive: true })],
    [
      'everything deleted',
      ({ path }) =>
        ['a.txt', 'src', '.gitignore'].forEach((name) => rmSync(join(path, name), { recursive: true })),
    ],
    ['ignored files left out', ({ path }) => (writeIn(path, 'x.log', ''), writeIn(path, 'build/out', ''))],
    [
      'rules of a nested .gitignore',
      ({ path }) => (
        writeIn(path, 'src/.gitignore', '*.tmp\n!keep.tmp\n'),
        writeIn(path, 'src/a.tmp', ''),
        writeIn(path, 'src/keep.tmp', '')
      ),
    ],
    [
      'what was added although it is ignored',
      ({ path }) => (
        writeIn(path, 'build/x.log', 'x'),
        git(path, 'add', '-f', 'build/x.log'),
        writeIn(path, 'build/x.log', 'y'),
        writeIn(path, 'build/z', '')
      ),
    ],
    [
      'what was untracked although it is there',
      ({ path }) => (git(path, 'rm', '-q', '--cached', 'a.txt'), writeIn(path, '.gitignore', '/a.txt\n')),
    ],
    [
      'what was only announced',
      ({ path }) => (
        writeIn(path, 'n.txt', 'n'),
        writeIn(path, 'empty', ''),
        git(path, 'add', '-N', 'n.txt', 'empty')
      ),
    ],
    [
      'what was announced and deleted',
      ({ path }) => (
        writeIn(path, 'n.txt', 'n'),
        git(path, 'add', '-N', 'n.txt'),
        rmSync(join(path, 'n.txt'))
      ),
    ],
    [
      'a file where a directory was',
      ({ path }) => (rmSync(join(path, 'src'), { recursive: true }), writeIn(path, 'src', 'file')),
    ],
    [
      'a directory where a file was',
      ({ path }) => (rmSync(join(path, 'a.txt')), writeIn(path, 'a.txt/b', 'file')),
    ],
    [
      'a link where a directory was',
      ({ path }) => (
        renameSync(join(path, 'src'), join(path, 'moved')),
        symlinkSync('moved', join(path, 'src'))
      ),
    ],
    [
      'names in any writing',
      ({ path }) => (
        writeIn(path, 'ä ö/"q\n"/日本.txt', 'x'),
        writeIn(path, '-dash\\back', 'x'),
        writeIn(path, 'a.txt.x', ''),
        writeIn(path, '𝒳', ''),
        writeIn(path, '\uffee', '')
      ),
    ],
    [
      'a repository begun inside a tracked directory',
      ({ path }) => (git(join(path, 'src'), 'init', '-q'), writeIn(path, 'src/new.txt', 'n')),
    ],
    [
      'files that git was told to overlook',
      ({ path }) => (
        git(path, 'update-index', '--assume-unchanged', 'a.txt'),
        writeIn(path, 'a.txt', 'not seen\n')
      ),
    ],
    [
      'files left out by skip-worktree',
      ({ path }) => (git(path, 'update-index', '--skip-worktree', 'a.txt'), rmSync(join(path, 'a.txt'))),
    ],
    [
      'no index at all',
      ({ gitDirectory }) => writeFileSync(join(gitDirectory, 'index'), emptyIndex(gitDirectory)),
    ],
    [
      'work of git in between',
      ({ path }) => (
        writeIn(path, 'a.txt', 'x'),
        git(path, 'commit', '-qam', 'x'),
        writeIn(path, 'src/b.txt', 'y'),
        git(path, 'add', '-A'),
        writeIn(path, 'src/b.txt', 'z')
      ),
    ],
  ])('has %s', async (_what, change) => {
    const worktree = await repository.addWorktree();
    change(worktree);
    await expectAsGit(worktree);
  });

  it('takes executable bits from the index where the file system keeps none', async () => {
    repository.git('config', 'core.fileMode', 'false');
    const worktree = await repository.addWorktree();
    chmodSync(join(worktree.path, 'a.txt'), 0o755);
    writeIn(worktree.path, 'src/script.sh', 'echo 2\n', 0o755);
    writeIn(worktree.path, 'new.sh', 'echo\n', 0o755);
    await expectAsGit(worktree);
  });

  it('settles a merge in progress by what lies there, and says what is not resolved', async () => {
    const worktree = await repository.addWorktree();
    const other = repository.commit('theirs', { 'a.txt': 'theirs\n', 'src/b.txt': 'theirs\n' });
    writeIn(worktree.path, 'a.txt', 'ours\n');
    writeIn(worktree.path, 'src/b.txt', 'ours\n');
    git(worktree.path, 'commit', '-qam', 'ours');
    expect(() => git(worktree.path, 'merge', '-q', 'main')).toThrow();
    writeIn(worktree.path, 'src/b.txt', 'resolved\n');
    await expectAsGit(worktree);
    expect(await worktree.capture()).toMatchObject({ unresolved: ['a.txt'], mergeHead: other });
  });

  it('keeps submodules as they were, whatever lies there', async () => {
    const head = repository.head();
    repository.git('update-index', '--add', '--cacheinfo', `160000,${head},module`);
    repository.git('commit', '-qm', 'module');
    const worktree = await repository.addWorktree();
    const { tree } = await worktree.capture();
    expect(tree).toBe(repository.treeOf('HEAD'));
    writeIn(worktree.path, 'module/file', 'x');
    expect((await worktree.capture()).tree).toBe(tree);
    rmSync(join(worktree.path, 'module'), { recursive: true });
    expect((await worktree.capture()).tree).toBe(tree);
  });
});

describe('what no tree can hold', () => {
  it('is left out, and named', async () => {
    const worktree = await repository.addWorktree();
    mkdirSync(join(worktree.path, 'nested'));
    git(join(worktree.path, 'nested'), 'init', '-q');
    writeIn(worktree.path, 'nested/file', 'x');
    execFileSync('mkfifo', [join(worktree.path, 'pipe')]);
    rmSync(join(worktree.path, 'a.txt'));
    execFileSync('mkfifo', [join(worktree.path, 'a.txt')]);
    writeIn(worktree.path, 'src/.GIT/config', '[core]');
    writeFileSync(Buffer.concat([Buffer.from(`${worktree.path}/latin-`), Buffer.from([0xe9])]), 'x');
    const { omitted, tree } = await worktree.capture();
    expect([...omitted].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'a.txt', reason: 'special-file' },
      { path: 'latin-\ufffd', reason: 'unusable-name' },
      { path: 'nested', reason: 'nested-repository' },
      { path: 'pipe', reason: 'special-file' },
      { path: 'src/.GIT', reason: 'unusable-name' },
    ]);
    expect(repository.git('ls-tree', '-r', '--name-only', tree)).toBe(
      '.gitignore\nsrc/b.txt\nsrc/deep/c.txt\nsrc/script.sh',
    );
  });

  it('leaves out the links that the caller put there, and ignored ones', async () => {
    const worktree = await repository.addWorktree();
    linkIn(worktree.path, 'node_modules', repository.root);
    const { tree } = await worktree.capture({ omit: ['node_modules'] });
    expect(tree).toBe(repository.treeOf('HEAD'));
    expect((await worktree.capture()).tree).not.toBe(tree);
  });

  it('never comes from outside: a directory that became a link is a link', async () => {
    const worktree = await repository.addWorktree();
    writeIn(repository.folder, 'secret/b.txt', 'secret');
    rmSync(join(worktree.path, 'src'), { recursive: true });
    symlinkSync(join(repository.folder, 'secret'), join(worktree.path, 'src'));
    const { tree } = await worktree.capture();
    expect(repository.git('ls-tree', '-r', tree)).toMatch(/^120000 blob \w+\tsrc$/m);
    expect(repository.git('ls-tree', '-r', tree)).not.toContain('src/');
  });
});

async function captureForEver(worktree: LinkedWorktree): Promise<never> {
  for (;;) await worktree.capture();
}

describe('a worktree that is not what it was', () => {
  it('is refused while somebody keeps writing to it', async () => {
    const worktree = await repository.addWorktree();
    const file = join(worktree.path, 'moving');
    const script = `const fs = require('fs'); const fd = fs.openSync(process.argv[1], 'w'); fs.writeSync(fd, Buffer.alloc(4e7)); process.stdout.write('x');
      const b = Buffer.alloc(100, 'x'); for (let i = 0; ; i++) fs.writeSync(fd, b, 0, 100, (i % 100000) * 100);`;
    const writer = spawn(process.execPath, ['-e', script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await new Promise((resolve) => writer.stdout.once('data', resolve));
      // the writer may get no turn while one capture runs: then that one saw a moment of rest
      await expect(captureForEver(worktree)).rejects.toMatchObject({
        code: 'GIT_WORKTREE_MOVING',
        data: { paths: ['moving'] },
      });
    } finally {
      writer.kill('SIGKILL');
    }
  });

  it('is refused when its pointer is gone, for git would take the repository above it', async () => {
    const worktree = await repository.addWorktree();
    rmSync(join(worktree.path, '.git'));
    await expect(worktree.capture()).rejects.toMatchObject({ code: 'GIT_WORKTREE_BROKEN' });
    writeFileSync(join(worktree.path, '.git'), `gitdir: ${join(repository.root, '.git')}\n`);
    await expect(worktree.capture()).rejects.toMatchObject({ code: 'GIT_WORKTREE_BROKEN' });
  });

  it('is left alone once the caller has aborted', async () => {
    const worktree = await repository.addWorktree();
    for (let file = 0; file < 300; file++) writeIn(worktree.path, `many/${file}`, 'x');
    const signal = AbortSignal.abort();
    await expect(worktree.capture({ signal })).rejects.toMatchObject({ code: 'GIT_ABORTED' });
  });
});

describe('whatever an agent does', () => {
  const names = fc.constantFrom('a', 'b', 'c.txt', 'x.log', 'build', 'é', 'A');
  const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
  const actions = fc.array(
    fc.oneof(
      fc.tuple(fc.constant('write'), paths, fc.constantFrom('', '1\n', '2\n')),
      fc.tuple(fc.constant('remove'), paths, fc.constant('')),
      fc.tuple(fc.constant('link'), paths, fc.constantFrom('a', '../b', '/')),
      fc.tuple(fc.constantFrom('add', 'reset', 'commit', 'capture', 'force-add'), paths, fc.constant('')),
    ),
    { maxLength: 12 },
  );

  it('is in the tree as git would have it', async () => {
    const worktree = await repository.addWorktree();
    await fc.assert(
      fc.asyncProperty(actions, async (list) => {
        for (const [kind, path, content] of list) await act(worktree, kind, path, content);
        await expectAsGit(worktree);
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  async function act(worktree: LinkedWorktree, kind: string, path: string, content: string): Promise<void> {
    const address = join(worktree.path, path);
    if (kind === 'capture') await worktree.capture();
    if (kind === 'add') git(worktree.path, 'add', '-A');
    if (kind === 'reset') git(worktree.path, 'reset', '-q');
    if (kind === 'commit') git(worktree.path, 'commit', '-q', '--allow-empty', '-am', 'x');
    if (kind === 'force-add' && existsSync(address)) git(worktree.path, 'add', '-f', '--', path);
    if (kind !== 'write' && kind !== 'link' && kind !== 'remove') return;
    const parents = path.split('/').slice(0, -1);
    if (parents.some((_, at) => existsAsFile(join(worktree.path, ...parents.slice(0, at + 1))))) return;
    rmSync(address, { recursive: true, force: true });
    if (kind === 'write') writeIn(worktree.path, path, content);
    if (kind === 'link') linkIn(worktree.path, path, content);
  }
});

function existsAsFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isDirectory();
}

function emptyIndex(gitDirectory: string): Buffer {
  const index = join(gitDirectory, 'index');
  rmSync(index);
  git(gitDirectory, 'read-tree', '--empty');
  return readFileSync(index);
}

it('refuses a file that is too large to be held in memory, by its name, and takes what .gitignore leaves', async () => {
  const worktree = await repository.addWorktree();
  writeIn(worktree.path, 'disk.img', '');
  truncateSync(join(worktree.path, 'disk.img'), 5 * 2 ** 30);
  await expect(worktree.capture()).rejects.toMatchObject({
    code: 'GIT_UNSUPPORTED_REPOSITORY',
    message: expect.stringContaining('disk.img is larger than 1 GiB'),
    hint: expect.stringContaining('.gitignore'),
    data: { path: 'disk.img' },
  });
  writeIn(worktree.path, '.gitignore', '*.log\n/build/\n*.img\n');
  await expectAsGit(worktree);
});
