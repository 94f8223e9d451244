import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { git } from '@cleveragents/shared-testing/real-git';
import { beginBranchUpdate, recover } from '../src/isomorphic-operations.ts';
import { removeWorktree } from '../src/remove-worktree.ts';
import { TestRepository, writeIn } from './support/worktrees.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = new TestRepository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', 'src/deep/c.txt': 'c\n' });
});

afterEach(() => {
  repository.remove();
});

describe('a worktree from its making to its end', () => {
  it('is what git would have made, at every step', async () => {
    const before = repository.state();
    const worktree = await repository.addWorktree('plan');
    expect(git(worktree.path, 'status', '--porcelain', '--branch')).toBe('## cleveragents/plan');
    expect(repository.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
    expect(repository.git('worktree', 'list', '--porcelain')).toContain(`worktree ${worktree.path}\n`);
    expect(repository.git('worktree', 'list', '--porcelain')).not.toContain('locked');
    expect(repository.fsck()).toBe('');

    writeIn(worktree.path, 'a.txt', 'changed\n');
    writeIn(worktree.path, 'new/d.txt', 'd\n');
    rmSync(join(worktree.path, 'src/deep'), { recursive: true });
    const status = git(worktree.path, 'status', '--porcelain');
    const captured = await worktree.capture();
    expect(git(worktree.path, 'status', '--porcelain')).toBe(status);
    git(worktree.path, 'add', '-A');
    expect(captured).toMatchObject({ tree: git(worktree.path, 'write-tree'), fileCount: 3, omitted: [] });
    git(worktree.path, 'reset', '-q');

    const opened = await repository.open();
    const commit = await opened.objects.writeCommit({
      tree: captured.tree,
      parents: [repository.head()],
      author: { name: 'A', email: 'a@b', timestampSeconds: 1_700_000_000, offsetMinutes: 0 },
      committer: { name: 'A', email: 'a@b', timestampSeconds: 1_700_000_000, offsetMinutes: 0 },
      message: 'work\n',
    });
    const base = repository.head();
    await worktree.record(commit, { name: 'refs/heads/cleveragents/plan', expected: base }, 'commit: work');
    expect(git(worktree.path, 'status', '--porcelain', '--branch')).toBe('## cleveragents/plan');

    const update = await beginBranchUpdate(opened, {
      branch: 'refs/heads/main',
      from: base,
      to: commit,
      message: 'merge plan: Fast-forward',
    });
    expect(update.facts.map(({ path, index, disk }) => [path, index, disk])).toEqual([
      ['a.txt', 'before', 'before'],
      ['new/d.txt', 'absent', 'absent'],
      ['src/deep/c.txt', 'before', 'before'],
    ]);
    await update.apply();
    expect(repository.git('status', '--porcelain', '--branch')).toBe('## main');
    expect(repository.head()).toBe(commit);
    expect(readFileSync(join(repository.root, 'a.txt'), 'utf8')).toBe('changed\n');
    expect(existsSync(join(repository.root, 'src/deep'))).toBe(false);
    expect(repository.git('rev-parse', 'ORIG_HEAD')).toBe(base);
    expect(repository.git('reflog', '-1', '--format=%gs')).toBe('merge plan: Fast-forward');
    expect(repository.fsck()).toBe('');

    const removed = await removeWorktree(opened, {
      path: worktree.path,
      gitDirectory: worktree.gitDirectory,
      branch: { name: 'refs/heads/cleveragents/plan', expected: commit },
    });
    expect(removed).toEqual({ worktreeRemoved: true, branchDeleted: true, leftOver: [] });
    expect(repository.state()).toMatchObject({ worktrees: before['worktrees']?.replace(base, commit) });
    expect(repository.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(await recover(opened)).toEqual({ actions: [] });
    expect(repository.fsck()).toBe('');
  });
});
