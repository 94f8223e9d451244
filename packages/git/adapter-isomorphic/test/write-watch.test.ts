import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CapturedTree, LinkedWorktree, WorktreeWatch } from '@cleveragents/git-ports';
import { git } from '@cleveragents/shared-testing/real-git';
import { WriteWatch } from '../src/write-watch.ts';
import { TestRepository, writeIn } from './support/worktrees.ts';

let repository: TestRepository;
let worktree: LinkedWorktree;
let captured: CapturedTree;

beforeEach(async () => {
  repository = new TestRepository({ '.gitignore': '/build/\n', 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
  worktree = await repository.addWorktree();
  writeIn(worktree.path, 'new/c.txt', 'c\n');
  writeIn(worktree.path, 'build/out.js', 'out\n');
  captured = await worktree.capture({ watch: true });
});
afterEach(() => {
  captured.watch?.close();
  repository.remove();
});

function watchOf({ watch }: CapturedTree): WorktreeWatch {
  if (watch === undefined) throw new Error('there is no watch');
  return watch;
}

describe('a watch from a capture on', () => {
  it('is there only when it was asked for', async () => {
    expect(await worktree.capture()).not.toHaveProperty('watch');
  });

  it('stays quiet while nothing is written, however much is read', async () => {
    expect(git(worktree.path, 'diff', 'HEAD')).toBe('');
    expect(git(worktree.path, 'grep', '-c', '')).toContain('src/b.txt');
    expect((await worktree.capture()).tree).toBe(captured.tree);
    expect(await watchOf(captured).isQuiet()).toBe(true);
    expect(await watchOf(captured).isQuiet()).toBe(true);
  });

  it('does not hear what is written where git ignores everything', async () => {
    appendFileSync(join(worktree.path, 'build/out.js'), 'more\n');
    expect(await watchOf(captured).isQuiet()).toBe(true);
  });

  it.each<readonly [what: string, change: (path: (name: string) => string) => void]>([
    ['a line added to an unchanged file', (path) => appendFileSync(path('src/b.txt'), 'x')],
    ['a line added to an untracked file', (path) => appendFileSync(path('new/c.txt'), 'x')],
    ['a new file', (path) => appendFileSync(path('src/d.txt'), '')],
    ['a new folder', (path) => mkdirSync(path('src/deep'))],
    ['a file moved', (path) => renameSync(path('a.txt'), path('src/a.txt'))],
    ['a file removed', (path) => rmSync(path('a.txt'))],
    ['a folder removed', (path) => rmSync(path('src'), { recursive: true })],
    ['a mode', (path) => chmodSync(path('a.txt'), 0o755)],
    ['a link', (path) => symlinkSync('a.txt', path('link'))],
    [
      'a time put back after a write',
      (path) => {
        appendFileSync(path('a.txt'), 'x');
        utimesSync(path('a.txt'), 1, 1);
      },
    ],
  ])('hears of %s', async (_what, change) => {
    change((name) => join(worktree.path, name));
    expect(await watchOf(captured).isQuiet()).toBe(false);
    expect(await watchOf(captured).isQuiet()).toBe(false);
  });

  it('hears that the index is another: it decides what an ignored file is', async () => {
    git(worktree.path, 'add', '--force', 'build/out.js');
    expect(await watchOf(captured).isQuiet()).toBe(false);
  });

  it('is never quiet once it is closed for the lack of watches, and begins none after that', async () => {
    const watched: string[] = [];
    const closed: string[] = [];
    const watch = new WriteWatch((path) => {
      if (path === 'third') throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      watched.push(path);
      return { on: () => undefined as never, close: () => void closed.push(path) };
    });
    for (const path of ['first', 'second', 'third', 'fourth']) watch.addDirectory(path);
    expect([watched, closed]).toEqual([
      ['first', 'second'],
      ['first', 'second'],
    ]);
    expect(await watch.isQuiet()).toBe(false);
  });
});
