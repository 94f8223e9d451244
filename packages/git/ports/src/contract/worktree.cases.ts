import assert from 'node:assert/strict';
import type { ObjectId } from '@cleveragents/git-domain';
import type { ContractCase } from '@cleveragents/shared-kernel';
import type { LinkedWorktree } from '../linked-worktree.ts';
import type { WorktreeHost } from '../worktree-host.ts';
import type { GitWorld, WorktreeHostSubject } from './git-world.ts';
import { commit, commitTree, hasCode, lines, revision } from './world-steps.ts';

const BRANCH = 'refs/heads/cleveragents/plan-x';
const OWNER = { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };

async function addWorktree(world: GitWorld, host: WorktreeHost, at?: ObjectId): Promise<LinkedWorktree> {
  const target = at ?? (await revision(world, 'HEAD'));
  return await host.addWorktree({
    path: `${world.folder}/sandbox`,
    branch: BRANCH,
    commit: target,
    owner: OWNER,
  });
}

/** What `git add -A && git write-tree` makes of the worktree; its index is put back. */
async function treeByGit(world: GitWorld, path: string): Promise<string> {
  await world.gitIn(path, 'add', '-A');
  const tree = await world.gitIn(path, 'write-tree');
  await world.gitIn(path, 'reset', '-q');
  return tree;
}

/** The making and the end of a linked worktree, and what it holds. */
export const worktreeCases: readonly ContractCase<WorktreeHostSubject>[] = [
  {
    name: 'makes a worktree that git finds clean, on a new branch, and lists whose it is',
    run: async ({ world, open }) => {
      const head = await commit(world, { 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
      const host = await open();
      const worktree = await addWorktree(world, host);
      assert.equal(
        await world.gitIn(worktree.path, 'status', '--porcelain', '--branch'),
        '## cleveragents/plan-x',
      );
      assert.deepEqual(await worktree.readHead(), { branch: BRANCH, commit: head });
      const [, entry] = await host.listWorktrees();
      assert.deepEqual(entry?.owner, { ...OWNER, branch: BRANCH });
      assert.equal(entry.locked, null);
      assert.equal(await world.git('worktree', 'prune', '--dry-run'), '');
      assert.equal(await world.git('fsck', '--strict', '--no-dangling'), '');
    },
  },
  {
    name: 'makes a worktree of an earlier commit while the original is full of other work',
    run: async ({ world, open }) => {
      const first = await commit(world, { 'a.txt': 'a\n', 'gone.txt': 'x\n' });
      await commit(world, { 'a.txt': 'second\n', 'b.txt': 'b\n' });
      await world.write('a.txt', 'dirty\n');
      await world.git('rm', '-q', 'gone.txt');
      const worktree = await addWorktree(world, await open(), first);
      assert.equal(await world.gitIn(worktree.path, 'status', '--porcelain'), '');
      assert.deepEqual(await lines(world.gitIn(worktree.path, 'ls-files')), ['a.txt', 'gone.txt']);
    },
  },
  {
    name: 'makes nothing when the path or the branch is taken',
    run: async ({ world, open }) => {
      const head = await commit(world, { 'a.txt': 'a\n' });
      const host = await open();
      const wanted = { path: `${world.folder}/sandbox`, branch: BRANCH, commit: head, owner: OWNER };
      await world.git('branch', 'cleveragents/plan-x');
      await assert.rejects(host.addWorktree(wanted), hasCode('GIT_REF_EXISTS'));
      await world.git('branch', '-q', '-D', 'cleveragents/plan-x');
      await world.git('branch', 'cleveragents');
      await assert.rejects(host.addWorktree(wanted), hasCode('GIT_REF_BLOCKED'));
      await world.git('branch', '-q', '-D', 'cleveragents');
      await assert.rejects(host.addWorktree({ ...wanted, path: world.root }), hasCode('GIT_WORKTREE_IN_USE'));
      assert.equal((await host.listWorktrees()).length, 1);
      assert.deepEqual(await lines(world.git('for-each-ref', '--format=%(refname)')), ['refs/heads/main']);
    },
  },
  {
    name: 'captures what git would add, and leaves the index as it was',
    run: async ({ world, open }) => {
      await commit(world, { '.gitignore': '*.log\n', 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
      const worktree = await addWorktree(world, await open());
      await world.writeIn(worktree.path, 'a.txt', 'changed\n');
      await world.writeIn(worktree.path, 'new/file', 'new\n');
      await world.writeIn(worktree.path, 'x.log', 'ignored\n');
      await world.gitIn(worktree.path, 'rm', '-q', 'src/b.txt');
      const status = await world.gitIn(worktree.path, 'status', '--porcelain');
      const captured = await worktree.capture();
      assert.equal(await world.gitIn(worktree.path, 'status', '--porcelain'), status);
      assert.deepEqual(captured, {
        tree: await treeByGit(world, worktree.path),
        fileCount: 3,
        omitted: [],
        unresolved: [],
        mergeHead: null,
      });
    },
  },
  {
    name: 'records a commit so that git finds nothing left to commit',
    run: async ({ world, open }) => {
      const base = await commit(world, { 'a.txt': 'a\n' });
      const host = await open();
      const worktree = await addWorktree(world, host);
      await world.writeIn(worktree.path, 'a.txt', 'changed\n');
      await world.gitIn(worktree.path, 'checkout', '-q', '--detach');
      const { tree } = await worktree.capture();
      const made = await commitTree(host, { tree, parents: [base] });
      await worktree.record(made, { name: BRANCH, expected: base }, 'commit: work');
      assert.equal(
        await world.gitIn(worktree.path, 'status', '--porcelain', '--branch'),
        '## cleveragents/plan-x',
      );
      assert.equal(await revision(world, BRANCH), made);
      await assert.rejects(
        worktree.record(made, { name: BRANCH, expected: base }, 'again'),
        hasCode('GIT_REF_MOVED'),
      );
    },
  },
  {
    name: 'restores a commit byte for byte, and keeps ignored files',
    run: async ({ world, open }) => {
      const base = await commit(world, { '.gitignore': '*.log\n', 'a.txt': 'a\n', 'd/b.txt': 'b\n' });
      const worktree = await addWorktree(world, await open());
      await world.gitIn(worktree.path, 'rm', '-rq', 'd');
      await world.writeIn(worktree.path, 'd', 'a file now\n');
      await world.writeIn(worktree.path, 'a.txt', 'changed\n');
      await world.writeIn(worktree.path, 'keep.log', 'ignored\n');
      await world.gitIn(worktree.path, 'add', '-A');
      await world.gitIn(worktree.path, 'commit', '-qm', 'by the agent');
      await world.writeIn(worktree.path, 'untracked', 'x\n');
      await world.gitIn(worktree.path, 'checkout', '-q', '--detach');
      await worktree.restore(base, BRANCH);
      assert.deepEqual(
        await lines(world.gitIn(worktree.path, 'status', '--porcelain', '--branch', '--ignored')),
        ['## cleveragents/plan-x', '!! keep.log'],
      );
      assert.equal(await revision(world, BRANCH), base);
      assert.equal(await world.gitIn(worktree.path, 'diff', 'HEAD'), '');
    },
  },
  {
    name: 'removes worktree, admin folder and branch, and does it again without complaint',
    run: async ({ world, open }) => {
      const head = await commit(world, { 'a.txt': 'a\n' });
      const host = await open();
      const { path, gitDirectory } = await addWorktree(world, host);
      await world.writeIn(path, 'node_modules/x/y', 'x');
      await world.git('worktree', 'lock', path);
      const removal = { path, gitDirectory, branch: { name: BRANCH, expected: head } };
      const done = { worktreeRemoved: true, branchDeleted: true, leftOver: [] };
      assert.deepEqual(await host.removeWorktree(removal), done);
      assert.deepEqual(await host.removeWorktree(removal), done);
      assert.equal((await host.listWorktrees()).length, 1);
      assert.equal(await host.readRef(BRANCH), null);
    },
  },
  {
    name: 'removes nothing when the branch has moved',
    run: async ({ world, open }) => {
      const head = await commit(world, { 'a.txt': 'a\n' });
      const host = await open();
      const { path, gitDirectory } = await addWorktree(world, host);
      await world.gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'more');
      const removal = { path, gitDirectory, branch: { name: BRANCH, expected: head } };
      await assert.rejects(host.removeWorktree(removal), hasCode('GIT_REF_MOVED'));
      assert.equal((await host.listWorktrees())[1]?.missing, false);
    },
  },
  {
    name: 'lists the uncommitted paths of the original',
    run: async ({ world, open }) => {
      await commit(world, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', '.gitignore': '*.log\n' });
      await world.write('a.txt', 'edited\n');
      await world.write('b.txt', 'staged\n');
      await world.git('add', 'b.txt');
      await world.git('rm', '-q', '--cached', 'c.txt');
      await world.write('new/file', 'x');
      await world.write('x.log', 'x');
      const short = (await (await open()).listUncommitted()).map(
        ({ path, staged, kind }) => `${staged ? 'staged ' : ''}${kind} ${path}`,
      );
      assert.deepEqual(short, [
        'modified a.txt',
        'staged modified b.txt',
        'staged deleted c.txt',
        'untracked c.txt',
        'untracked new/file',
      ]);
    },
  },
];
