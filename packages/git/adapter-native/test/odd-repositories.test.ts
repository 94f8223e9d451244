import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorktreeHost } from '@cleveragents/git-ports';
import { ODD_REPOSITORIES } from '@cleveragents/shared-testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { fsck, git, GIT_ENVIRONMENT, revision, temporaryFolder } from '@cleveragents/shared-testing/real-git';
import { NativeGitEngine } from '../src/native-git-engine.ts';

const MAIN = 'refs/heads/main';
const BRANCH = 'refs/heads/cleveragents/plan-x';
const OWNER = { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** What git calls changed, and whether it finds everything sound. */
function opinion(root: string): string {
  return git(root, 'status', '--porcelain') + fsck(root);
}

async function moveMain(host: WorktreeHost, from: string, to: string): Promise<void> {
  const request = { branch: MAIN, from, to, message: 'merge plan x' } as Parameters<
    WorktreeHost['beginBranchUpdate']
  >[0];
  const update = await host.beginBranchUpdate(request);
  expect(update.facts.map(({ path, index, disk }) => [path, index, disk])).toEqual(
    update.facts.map(({ path, before }) => [
      path,
      before ? 'before' : 'absent',
      before ? 'before' : 'absent',
    ]),
  );
  await update.apply();
}

/** The torture of the sandboxes plays all of them; each takes seconds. */
const PLAYED = [
  'SHA-256',
  'core.autocrlf',
  'a working-tree-encoding',
  'a filter',
  'an index of version 4',
  'a split index',
  'a sparse index',
  'a partial clone',
];

describe.each(ODD_REPOSITORIES.filter(({ what }) => PLAYED.includes(what)))(
  'a repository with $what',
  ({ make }) => {
    it('goes from worktree to apply, and back, and git agrees with every step', async () => {
      const root = make(folder);
      expect(opinion(root)).toBe('');
      writeFileSync(join(root, 'untracked'), 'mine\n');
      const original = readFileSync(join(root, 'a.txt'), 'latin1');
      const base = revision(root, 'HEAD');
      const host = await new NativeGitEngine({ environment: GIT_ENVIRONMENT }).open(root);
      const path = join(folder, 'sandbox');
      const worktree = await host.addWorktree({ path, branch: BRANCH, commit: base, owner: OWNER });
      expect(opinion(path)).toBe('');
      expect(readFileSync(join(path, 'a.txt'), 'latin1')).toBe(original);

      appendFileSync(join(path, 'a.txt'), readFileSync(join(path, 'src/b.txt')));
      mkdirSync(join(path, 'src/new'));
      writeFileSync(join(path, 'src/new/d.txt'), readFileSync(join(path, 'a.txt')));
      git(path, 'rm', '-q', 'src/deep/c.txt');
      const { tree } = await worktree.capture();
      git(path, 'add', '-A');
      expect(tree).toBe(git(path, 'write-tree'));
      const identity = await host.readIdentity();
      const commit = await host.objects.writeCommit({
        tree,
        parents: [base],
        ...identity,
        message: 'plan x\n',
      });
      await worktree.record(commit, { name: BRANCH, expected: base }, 'commit: plan x');
      expect(opinion(path)).toBe('');

      await moveMain(host, base, commit);
      expect(opinion(root)).toBe('?? untracked');
      expect(revision(root, 'HEAD')).toBe(commit);
      expect(readFileSync(join(root, 'a.txt'), 'latin1')).toBe(readFileSync(join(path, 'a.txt'), 'latin1'));
      expect(readFileSync(join(root, 'src/new/d.txt'))).toEqual(readFileSync(join(path, 'src/new/d.txt')));
      expect(existsSync(join(root, 'src/deep/c.txt'))).toBe(false);

      await worktree.restore(base, BRANCH);
      expect(opinion(path)).toBe('');
      expect(readFileSync(join(path, 'a.txt'), 'latin1')).toBe(original);
      await moveMain(host, commit, base);
      expect(opinion(root)).toBe('?? untracked');
      expect(readFileSync(join(root, 'a.txt'), 'latin1')).toBe(original);
      const branch = { name: BRANCH, expected: base };
      await host.removeWorktree({ path, gitDirectory: worktree.gitDirectory, branch });
      expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(1);
    });

    it('shows what is in the way, and touches nothing of it', async () => {
      const root = make(folder);
      const base = revision(root, 'HEAD');
      const host = await new NativeGitEngine({ environment: GIT_ENVIRONMENT }).open(root);
      const path = join(folder, 'sandbox');
      const worktree = await host.addWorktree({ path, branch: BRANCH, commit: base, owner: OWNER });
      appendFileSync(join(path, 'a.txt'), readFileSync(join(path, 'src/b.txt')));
      const { tree } = await worktree.capture();
      const identity = await host.readIdentity();
      const commit = await host.objects.writeCommit({
        tree,
        parents: [base],
        ...identity,
        message: 'plan x\n',
      });
      writeFileSync(join(root, 'a.txt'), 'my own work\n');
      const update = await host.beginBranchUpdate({ branch: MAIN, from: base, to: commit, message: 'merge' });
      expect(update.facts.map(({ path, index, disk }) => [path, index, disk])).toEqual([
        ['a.txt', 'before', 'other'],
      ]);
      await expect(update.apply()).rejects.toMatchObject({ code: 'GIT_TARGET_CHANGED' });
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('my own work\n');
      expect(revision(root, 'HEAD')).toBe(base);
    });
  },
);

describe('a sparse checkout', () => {
  it('takes a change of what it leaves out into the index alone', async () => {
    const odd = ODD_REPOSITORIES.find(({ what }) => what === 'a sparse checkout');
    const root = odd?.make(folder) ?? '';
    const base = revision(root, 'HEAD');
    const host = await new NativeGitEngine({ environment: GIT_ENVIRONMENT }).open(root);
    const path = join(folder, 'sandbox');
    const worktree = await host.addWorktree({ path, branch: BRANCH, commit: base, owner: OWNER });
    expect(existsSync(join(path, 'hidden'))).toBe(false);
    mkdirSync(join(path, 'hidden'));
    writeFileSync(join(path, 'hidden/h.txt'), 'changed\n');
    const { tree } = await worktree.capture();
    const identity = await host.readIdentity();
    const commit = await host.objects.writeCommit({
      tree,
      parents: [base],
      ...identity,
      message: 'plan x\n',
    });
    expect(git(root, 'diff', '--name-status', base, commit)).toBe('M\thidden/h.txt');
    await moveMain(host, base, commit);
    expect(opinion(root)).toBe('');
    expect(existsSync(join(root, 'hidden'))).toBe(false);
    expect(git(root, 'show', 'HEAD:hidden/h.txt')).toBe('changed');
    expect(git(root, 'ls-files', '-t', 'hidden/h.txt')).toBe('S hidden/h.txt');
  });
});
