import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ObjectId } from '@cleveragents/git-domain';
import type { BranchUpdate, PathFacts } from '@cleveragents/git-ports';
import { git } from '@cleveragents/shared-testing/real-git';
import { beginBranchUpdate } from '../src/isomorphic-operations.ts';
import { litterIn, pictureOf } from './support/picture.ts';
import { linkIn, TestRepository, writeIn } from './support/worktrees.ts';

const BASE = {
  '.gitignore': '*.log\n',
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'kept.txt': 'kept\n',
  'src/c.txt': 'c\n',
  'src/deep/d.txt': 'd\n',
};

let repository: TestRepository;
let base: ObjectId;

beforeEach(() => {
  repository = new TestRepository(BASE);
  base = repository.head();
});

afterEach(() => {
  repository.remove();
});

/** A commit on top of the base, made elsewhere: the work tree stays at the base. */
function commitElsewhere(change: (path: string) => void): ObjectId {
  const path = join(repository.folder, 'elsewhere');
  repository.git('worktree', 'add', '-q', '--detach', path, base);
  change(path);
  git(path, 'add', '-A');
  git(path, 'commit', '-q', '--allow-empty', '-m', 'elsewhere');
  const commit = git(path, 'rev-parse', 'HEAD') as ObjectId;
  repository.git('worktree', 'remove', '--force', path);
  return commit;
}

async function begin(to: ObjectId, { timeoutMs = 5000, from = base } = {}): Promise<BranchUpdate> {
  const opened = await repository.open(timeoutMs);
  return await beginBranchUpdate(opened, { branch: 'refs/heads/main', from, to, message: 'merge plan' });
}

async function factsOf(to: ObjectId): Promise<Readonly<Record<string, PathFacts>>> {
  const update = await begin(to);
  await update.abandon();
  return Object.fromEntries(update.facts.map((facts) => [facts.path, facts]));
}

function everything(): unknown {
  return { files: pictureOf(repository.root), state: repository.state() };
}

function expectNothingLeft(): void {
  expect(litterIn(join(repository.root, '.git'))).toEqual([]);
  expect(repository.fsck()).toBe('');
}

describe('the facts of a path that an update would change', () => {
  it('say what is in the index and on the disk', async () => {
    const to = commitElsewhere((path) => {
      for (const name of ['a.txt', 'b.txt', 'kept.txt', 'src/c.txt']) writeIn(path, name, 'new\n');
      rmSync(join(path, 'src/deep/d.txt'));
      for (const name of ['n1', 'n2', 'n3.log', 'n4', 'dir/n5']) writeIn(path, name, 'new\n');
      git(path, 'add', '-f', 'n3.log');
    });
    repository.write('a.txt', 'edited\n');
    repository.write('b.txt', 'staged\n');
    repository.git('add', 'b.txt');
    repository.write('b.txt', 'new\n');
    rmSync(join(repository.root, 'src/c.txt'));
    repository.write('n1', 'other\n');
    repository.write('n2', 'new\n');
    repository.write('n3.log', 'ignored\n');
    repository.write('n4/inside/file', 'x');
    linkIn(repository.root, 'dir', 'src');
    const facts = await factsOf(to);
    const short = Object.entries(facts).map(([path, { index, disk, ignored }]) => [
      path,
      index,
      disk,
      ignored,
    ]);
    expect(short).toEqual([
      ['a.txt', 'before', 'other', false],
      ['b.txt', 'other', 'after', false],
      ['dir/n5', 'absent', 'absent', false],
      ['kept.txt', 'before', 'before', false],
      ['n1', 'absent', 'other', false],
      ['n2', 'absent', 'after', false],
      ['n3.log', 'absent', 'other', true],
      ['n4', 'absent', 'directory', false],
      ['src/c.txt', 'before', 'absent', false],
      ['src/deep/d.txt', 'before', 'before', false],
    ]);
    expect(facts['n4']?.occupants).toEqual(['n4/inside/file']);
    expect(facts['dir/n5']?.blockedParent).toEqual({ path: 'dir', type: 'link' });
  });

  it('name an unmerged path, one that git does not watch, and staged files where a directory has to come', async () => {
    const to = commitElsewhere((path) => {
      writeIn(path, 'a.txt', 'theirs\n');
      writeIn(path, 'b.txt', 'theirs\n');
      writeIn(path, 'place', 'file\n');
    });
    repository.git('update-index', '--assume-unchanged', 'b.txt');
    repository.write('place/staged', 'x');
    repository.git('add', 'place/staged');
    rmSync(join(repository.root, 'place'), { recursive: true });
    const [blob] = repository.git('ls-files', '-s', 'a.txt').split(' ').slice(1);
    repository.git('update-index', '--force-remove', 'a.txt');
    const stages = [1, 2, 3].map((stage) => `100644 ${blob ?? ''} ${stage}\ta.txt\n`).join('');
    execFileSync('git', ['update-index', '--index-info'], { cwd: repository.root, input: stages });
    const facts = await factsOf(to);
    expect(facts['a.txt']?.index).toBe('unmerged');
    expect(facts['b.txt']?.unwatched).toBe(true);
    expect(facts['place']).toMatchObject({ index: 'other', disk: 'absent' });
  });

  it('leave out of a directory in the way what the update itself deletes', async () => {
    const to = commitElsewhere((path) => {
      rmSync(join(path, 'src'), { recursive: true });
      writeIn(path, 'src', 'a file\n');
    });
    expect((await factsOf(to))['src']).toMatchObject({ disk: 'directory', occupants: [] });
    repository.write('src/deep/mine.txt', 'x');
    expect((await factsOf(to))['src']?.occupants).toEqual(['src/deep/mine.txt']);
  });

  it('name the path that a file system without case would take for the same', async () => {
    const to = commitElsewhere((path) => {
      writeIn(path, 'A.TXT', 'x');
      writeIn(path, 'SRC/new', 'x');
    });
    expect((await factsOf(to))['A.TXT']?.collidesWith).toBeNull();
    repository.git('config', 'core.ignoreCase', 'true');
    const facts = await factsOf(to);
    expect(facts['A.TXT']?.collidesWith).toBe('a.txt');
    expect(facts['SRC/new']?.collidesWith).toBe('src');
  });
});

describe('an update', () => {
  it('leaves all other work as it is, the split between index and work tree included', async () => {
    const to = commitElsewhere((path) => {
      writeIn(path, 'a.txt', 'new\n');
      writeIn(path, 'added.txt', 'new\n');
    });
    repository.write('b.txt', 'staged\n');
    repository.git('add', 'b.txt');
    repository.write('b.txt', 'staged, then edited\n');
    repository.write('kept.txt', 'edited\n');
    repository.write('notes', 'untracked\n');
    repository.git('update-index', '--assume-unchanged', 'src/c.txt');
    const status = repository.git('status', '--porcelain');
    await (await begin(to)).apply();
    expect(repository.git('status', '--porcelain')).toBe(status);
    expect(repository.git('show', ':b.txt')).toBe('staged');
    expect(repository.git('ls-files', '-v', 'src/c.txt')).toBe('h src/c.txt');
    expect(repository.git('reflog', '-1', '--format=%H %gs')).toBe(`${to} merge plan`);
    expect(repository.git('reflog', 'main', '-1', '--format=%H %gs')).toBe(`${to} merge plan`);
    expectNothingLeft();
  });

  it('does not make git overlook an edit of the very second in which the index was written', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    repository.git('update-index', '--refresh');
    repository.write('kept.txt', 'KEPT\n');
    repository.git('add', 'kept.txt');
    repository.write('kept.txt', 'Kept\n');
    await (await begin(to)).apply();
    expect(repository.git('diff', '--name-only')).toBe('kept.txt');
  });

  it('changes nothing when it is abandoned', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    const before = everything();
    await (await begin(to)).abandon();
    expect(everything()).toEqual(before);
    expectNothingLeft();
  });

  it('moves only the ref of a branch that is checked out nowhere', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    repository.git('checkout', '-q', '-b', 'other');
    const files = pictureOf(repository.root);
    const update = await begin(to);
    expect(update).toMatchObject({ workTree: null, facts: [] });
    await update.apply();
    expect(repository.git('rev-parse', 'main')).toBe(to);
    expect(pictureOf(repository.root)).toEqual(files);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('goes to the work tree that has the branch', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    repository.git('checkout', '-q', '-b', 'other');
    const linked = join(repository.folder, 'linked');
    repository.git('worktree', 'add', '-q', linked, 'main');
    const update = await begin(to);
    expect(update.workTree).toBe(linked);
    await update.apply();
    expect(git(linked, 'status', '--porcelain', '--branch')).toBe('## main');
    expect(readFileSync(join(linked, 'a.txt'), 'utf8')).toBe('new\n');
    expect(repository.git('status', '--porcelain')).toBe('');
    expectNothingLeft();
  });

  it('also goes to a work tree on another file system than its git folder', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    repository.git('checkout', '-q', '-b', 'other');
    const shelf = mkdtempSync(
      join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'git-adapter-isomorphic-'),
    );
    try {
      const linked = join(shelf, 'linked');
      repository.git('worktree', 'add', '-q', linked, 'main');
      await (await begin(to)).apply();
      expect(git(linked, 'status', '--porcelain', '--branch')).toBe('## main');
      expect(Object.keys(pictureOf(linked))).toEqual(Object.keys(pictureOf(repository.root)));
    } finally {
      rmSync(shelf, { recursive: true });
    }
    expectNothingLeft();
  });

  it('leaves the folders of submodules to those who work in them', async () => {
    repository.git('update-index', '--add', '--cacheinfo', `160000,${base},module`);
    repository.git('update-index', '--add', '--cacheinfo', `160000,${base},gone`);
    repository.git('commit', '-qm', 'modules');
    base = repository.head();
    const to = commitElsewhere((path) => {
      git(path, 'update-index', '--cacheinfo', `160000,${repository.git('rev-parse', 'HEAD~1')},module`);
      git(path, 'rm', '-q', '--cached', 'gone');
      rmSync(join(path, 'gone'), { recursive: true });
    });
    repository.write('module/inside', 'x');
    mkdirSync(join(repository.root, 'gone'));
    await (await begin(to)).apply();
    expect(repository.git('ls-files', '--stage', 'module', 'gone')).toBe(
      `160000 ${repository.git('rev-parse', 'HEAD~2')} 0\tmodule`,
    );
    expect(readFileSync(join(repository.root, 'module/inside'), 'utf8')).toBe('x');
    expect(existsSync(join(repository.root, 'gone'))).toBe(false);
  });
});

describe('an update is refused, and changes nothing,', () => {
  it('when the branch is not where the caller thinks', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    const now = repository.commit('meanwhile');
    const before = everything();
    await expect(begin(to)).rejects.toMatchObject({
      code: 'GIT_REF_MOVED',
      data: { ref: 'refs/heads/main', expected: base, actual: now },
    });
    expect(everything()).toEqual(before);
    expectNothingLeft();
  });

  it.each(['index', 'HEAD', 'refs/heads/main'])('while git holds the lock on %s', async (file) => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    const before = everything();
    const lock = join(repository.root, '.git', `${file}.lock`);
    writeFileSync(lock, '');
    await expect(begin(to, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'GIT_LOCKED',
      data: { path: lock, owner: null },
    });
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    expect(everything()).toEqual(before);
    expectNothingLeft();
  });

  it('while another one is under way, and goes on when that is over', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    const first = await begin(to);
    await expect(begin(to, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'GIT_LOCKED' });
    const second = begin(to);
    await first.apply();
    await expect(second).rejects.toMatchObject({ code: 'GIT_REF_MOVED' });
  });

  it('during a rebase of the branch', async () => {
    const to = commitElsewhere((path) => writeIn(path, 'a.txt', 'new\n'));
    repository.git('checkout', '-q', '--detach');
    mkdirSync(join(repository.root, '.git/rebase-merge'));
    writeFileSync(join(repository.root, '.git/rebase-merge/head-name'), 'refs/heads/main\n');
    await expect(begin(to)).rejects.toMatchObject({ code: 'GIT_LOCKED' });
  });

  it.each<[string, () => void]>([
    ['edited', () => repository.write('a.txt', 'mine\n')],
    ['of another kind by now', () => linkIn(repository.root, 'a.txt', 'b.txt')],
    ['staged', () => (repository.write('a.txt', 'mine\n'), repository.git('add', 'a.txt'))],
    ['untracked and in the way', () => repository.write('new.txt', 'mine\n')],
    ['ignored and in the way', () => repository.write('new.log', 'mine\n')],
    ['in a directory in the way', () => repository.write('new.txt/mine', 'mine\n')],
    ['behind a link', () => linkIn(repository.root, 'dir', '/tmp')],
  ])('although its caller does not mind, when a file is %s', async (_what, change) => {
    const to = commitElsewhere((path) => {
      for (const name of ['a.txt', 'new.txt', 'dir/new.txt']) writeIn(path, name, 'new\n');
      writeIn(path, 'new.log', 'new\n');
      git(path, 'add', '-f', 'new.log');
    });
    change();
    const before = everything();
    await expect((await begin(to)).apply()).rejects.toMatchObject({ code: 'GIT_TARGET_CHANGED' });
    expect(everything()).toEqual(before);
    expectNothingLeft();
  });
});

describe('what happens between the check and the update is not lost', () => {
  const change = (path: string): void => {
    for (const name of ['a.txt', 'b.txt', 'src/c.txt', 'zz/new.txt']) writeIn(path, name, 'new\n');
    rmSync(join(path, 'src/deep'), { recursive: true });
    writeIn(path, 'src/deep', 'a file\n');
  };

  it.each<[string, (root: string) => void]>([
    ['a save in place', (root) => writeIn(root, 'b.txt', 'saved\n')],
    [
      'a save by replacement',
      (root) => (writeIn(root, 'b.tmp', 'saved\n'), renameSync(join(root, 'b.tmp'), join(root, 'b.txt'))),
    ],
    ['a save of what is to be deleted', (root) => writeIn(root, 'src/deep/d.txt', 'saved\n')],
    ['a deletion', (root) => rmSync(join(root, 'b.txt'))],
    ['a link in the place of a file', (root) => linkIn(root, 'b.txt', '/etc/passwd')],
    [
      'a directory in the place of a file',
      (root) => (rmSync(join(root, 'b.txt')), writeIn(root, 'b.txt/x', 'x')),
    ],
    ['a file where a new one comes', (root) => writeIn(root, 'zz/new.txt', 'mine\n')],
    ['a link where a new one comes', (root) => linkIn(root, 'zz/new.txt', '/nowhere')],
    ['a file in a directory that goes', (root) => writeIn(root, 'src/deep/mine', 'mine\n')],
    ['a mode', (root) => writeIn(root, 'b.txt', 'b\n', 0o755)],
  ])('%s', async (_what, happen) => {
    const to = commitElsewhere(change);
    const update = await begin(to);
    happen(repository.root);
    const before = pictureOf(repository.root);
    await expect(update.apply()).rejects.toMatchObject({ code: 'GIT_TARGET_CHANGED' });
    expect(pictureOf(repository.root)).toEqual(before);
    expect(repository.head()).toBe(base);
    expectNothingLeft();
  });

  it('a directory that became a link leads nothing outside', async () => {
    const to = commitElsewhere(change);
    const update = await begin(to);
    const outside = join(repository.folder, 'outside');
    renameSync(join(repository.root, 'src'), outside);
    symlinkSync(outside, join(repository.root, 'src'));
    const before = pictureOf(outside);
    await expect(update.apply()).rejects.toMatchObject({ code: 'GIT_TARGET_CHANGED' });
    expect(pictureOf(outside)).toEqual(before);
    expect(repository.head()).toBe(base);
    expectNothingLeft();
  });
});

describe('for any two trees', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd.txt', 'é');
  const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
  const content = fc.constantFrom('1\n', '2\n', 'link', 'script');
  const trees = fc.dictionary(paths, content, { maxKeys: 8 }).map(withoutOverlap);

  it('an update leaves what git would have left', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, async (first, second) => {
        base = commitTree(first);
        const to = commitElsewhere((path) => putTree(path, second));
        await (await begin(to)).apply();
        expect(repository.git('status', '--porcelain')).toBe('');
        const expected = join(repository.folder, 'expected');
        repository.git('worktree', 'add', '-q', '--detach', expected, to);
        expect(pictureOf(repository.root)).toEqual(pictureOf(expected));
        repository.git('worktree', 'remove', '--force', expected);
        expectNothingLeft();
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  function commitTree(tree: Readonly<Record<string, string>>): ObjectId {
    putTree(repository.root, tree);
    return repository.commit('first');
  }

  function putTree(root: string, tree: Readonly<Record<string, string>>): void {
    git(root, 'rm', '-rqf', '--ignore-unmatch', '.');
    for (const [path, what] of Object.entries(tree)) {
      if (what === 'link') linkIn(root, path, 'a');
      else writeIn(root, path, what, what === 'script' ? 0o755 : 0o644);
    }
  }
});

function withoutOverlap(tree: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const paths = Object.keys(tree);
  return Object.fromEntries(
    Object.entries(tree).filter(([path]) => !paths.some((other) => other.startsWith(`${path}/`))),
  );
}
