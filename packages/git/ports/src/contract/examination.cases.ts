import assert from 'node:assert/strict';
import type { ContractCase } from '@cleveragents/shared-kernel';
import type { LinkedWorktree } from '../linked-worktree.ts';
import type { WorktreeHost } from '../worktree-host.ts';
import type { GitWorld, WorktreeHostSubject } from './git-world.ts';
import { commit, hasCode, revision } from './world-steps.ts';

const BRANCH = 'refs/heads/cleveragents/plan-x';
const OWNER = { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };

async function addWorktree(world: GitWorld, host: WorktreeHost): Promise<LinkedWorktree> {
  const target = await commit(world, { 'a.txt': 'a\n', '.gitignore': '*.log\n' });
  return host.addWorktree({ path: `${world.folder}/sandbox`, branch: BRANCH, commit: target, owner: OWNER });
}

/** As something else than us would: without a shell, by git itself. */
async function runIn(world: GitWorld, command: string): Promise<void> {
  await world.git('-c', `alias.run=!${command}`, 'run');
}

async function reattach(
  { world, open }: WorktreeHostSubject,
  worktree: Pick<LinkedWorktree, 'path' | 'gitDirectory'>,
): Promise<void> {
  const { path, gitDirectory } = worktree;
  const host = await open();
  const tip = await revision(world, BRANCH);
  await host.reattachWorktree({ path, gitDirectory, branch: BRANCH, commit: tip, owner: OWNER });
}

/** What is found when something was cut short or damaged, and how its parts come together again. */
export const examinationCases: readonly ContractCase<WorktreeHostSubject>[] = [
  {
    name: 'finds nothing left behind where nothing is',
    run: async ({ world, open }) => {
      const host = await open();
      await addWorktree(world, host);
      assert.deepEqual(await host.examine(), { operations: [], damage: null, locks: [] });
    },
  },
  {
    name: 'finds a lock that somebody else made, and leaves it',
    run: async ({ world, open }) => {
      await commit(world);
      await runIn(world, 'touch .git/index.lock .git/refs/heads/main.lock');
      const host = await open();
      const { locks } = await host.examine();
      assert.deepEqual(
        locks.map(({ path, holder, pid }) => [path.slice(world.root.length), holder, pid]),
        [
          ['/.git/index.lock', 'foreign', null],
          ['/.git/refs/heads/main.lock', 'foreign', null],
        ],
      );
      await host.recover();
      assert.equal((await host.examine()).locks.length, 2);
    },
  },
  {
    name: 'joins a worktree and its admin folder again when the admin folder is gone',
    run: async (subject) => {
      const { world, open } = subject;
      const worktree = await addWorktree(world, await open());
      await world.writeIn(worktree.path, 'new.txt', 'new\n');
      await runIn(world, 'rm -r .git/worktrees');
      await reattach(subject, worktree);
      await reattach(subject, worktree);
      assert.equal(await world.gitIn(worktree.path, 'status', '--porcelain'), '?? new.txt');
      assert.equal(await world.gitIn(worktree.path, 'branch', '--show-current'), 'cleveragents/plan-x');
      const [, entry] = await (await open()).listWorktrees();
      assert.deepEqual(entry?.owner, { ...OWNER, branch: BRANCH });
      assert.equal(entry.locked, null);
      assert.equal(await world.git('worktree', 'prune', '--dry-run'), '');
      assert.equal(await world.git('fsck', '--strict', '--no-dangling'), '');
    },
  },
  {
    name: 'joins a worktree and its admin folder again when the pointer of the folder is gone',
    run: async (subject) => {
      const { world, open } = subject;
      const worktree = await addWorktree(world, await open());
      await world.writeIn(worktree.path, 'a.txt', 'changed\n');
      await runIn(world, `rm ${worktree.path}/.git`);
      await reattach(subject, worktree);
      assert.equal(await world.gitIn(worktree.path, 'status', '--porcelain'), ' M a.txt');
    },
  },
  {
    name: 'leaves alone what an agent put in the place of the pointer, and what that leads to',
    run: async (subject) => {
      const { world, open } = subject;
      const worktree = await addWorktree(world, await open());
      const pointer = `${worktree.path}/.git`;
      await runIn(world, `rm ${pointer} && git init --quiet ${worktree.path}`);
      await assert.rejects(reattach(subject, worktree), hasCode('GIT_WORKTREE_BROKEN'));
      await world.writeIn(worktree.path, 'precious.txt', 'precious\n');
      await runIn(world, `rm -r ${pointer} && ln -s precious.txt ${pointer}`);
      await assert.rejects(reattach(subject, worktree), hasCode('GIT_WORKTREE_BROKEN'));
      await runIn(world, `rm ${pointer} && ln ${worktree.path}/precious.txt ${pointer}`);
      await reattach(subject, worktree);
      const text = await world.gitIn(worktree.path, 'hash-object', 'precious.txt');
      assert.equal(text, await world.git('hash-object', `${worktree.path}/precious.txt`));
      assert.equal(await world.gitIn(worktree.path, 'status', '--porcelain'), '?? precious.txt');
    },
  },
  {
    name: 'does not take another folder for the worktree',
    run: async (subject) => {
      const { world, open } = subject;
      const worktree = await addWorktree(world, await open());
      await runIn(world, `rm -r ${worktree.path} .git/worktrees`);
      await world.writeIn(worktree.path, 'somebody.txt', 'else\n');
      await assert.rejects(reattach(subject, worktree), hasCode('GIT_WORKTREE_BROKEN'));
    },
  },
  {
    name: 'makes no admin folder where the repository was before it was moved',
    run: async (subject) => {
      const { world, open } = subject;
      const worktree = await addWorktree(world, await open());
      const elsewhere = `${worktree.path}-before`;
      const gitDirectory = `${elsewhere}/.git/worktrees/sandbox`;
      await world.writeIn(worktree.path, '.git', `gitdir: ${gitDirectory}\n`);
      await assert.rejects(
        reattach(subject, { path: worktree.path, gitDirectory }),
        hasCode('GIT_WORKTREE_BROKEN'),
      );
      await runIn(world, `test ! -e ${elsewhere}`);
    },
  },
  {
    name: 'puts a setting back, and changes no other byte of the file',
    run: async ({ world, open }) => {
      await commit(world);
      const list = (): Promise<string> => world.git('config', '--local', '--list');
      const before = await list();
      await world.git('config', 'core.worktree', '../elsewhere');
      const host = await open();
      await host.restoreSetting('core.worktree', null);
      await host.restoreSetting('core.worktree', null);
      assert.equal(await list(), before);
      await host.restoreSetting('core.bare', 'false');
      assert.equal(await list(), before);
    },
  },
];
