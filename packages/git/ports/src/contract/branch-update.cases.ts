import assert from 'node:assert/strict';
import type { ObjectId } from '@cleveragents/git-domain';
import type { ContractCase } from '@cleveragents/shared-kernel';
import type { GitWorld, WorktreeHostSubject } from './git-world.ts';
import { commit, hasCode, lines, revision } from './world-steps.ts';

const MAIN = 'refs/heads/main';
const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/deep/c.txt': 'c\n' };

interface Move {
  readonly from: ObjectId;
  readonly to: ObjectId;
}

/** Two commits, of which the branch and the work tree are at the first. */
async function twoCommits(world: GitWorld, change: () => Promise<unknown>): Promise<Move> {
  const from = await commit(world, FILES);
  await change();
  const to = await commit(world);
  await world.git('reset', '-q', '--hard', from);
  return { from, to };
}

const request = (move: Move) => ({ branch: MAIN, ...move, message: 'merge plan' });

/** The one way in which a branch moves that somebody may have checked out. */
export const branchUpdateCases: readonly ContractCase<WorktreeHostSubject>[] = [
  {
    name: 'moves branch, index and files together, and leaves all other work as it is',
    run: async ({ world, open }) => {
      const move = await twoCommits(world, async () => {
        await world.write('a.txt', 'new\n');
        await world.write('added/d.txt', 'd\n');
        await world.git('rm', '-q', 'src/deep/c.txt');
      });
      await world.write('b.txt', 'staged\n');
      await world.git('add', 'b.txt');
      await world.write('b.txt', 'edited since\n');
      await world.write('notes', 'untracked\n');
      const status = await world.git('status', '--porcelain');
      const update = await (await open()).beginBranchUpdate(request(move));
      assert.equal(update.workTree, world.root);
      assert.deepEqual(
        update.facts.map(({ path, index, disk }) => `${path} ${index} ${disk}`),
        ['a.txt before before', 'added/d.txt absent absent', 'src/deep/c.txt before before'],
      );
      await update.apply();
      assert.equal(await world.git('status', '--porcelain'), status);
      assert.equal(await world.git('show', ':b.txt'), 'staged');
      assert.equal(await revision(world, 'HEAD'), move.to);
      assert.equal(await world.git('reflog', '-1', '--format=%H %gs'), `${move.to} merge plan`);
      assert.equal(await world.git('fsck', '--strict', '--no-dangling'), '');
    },
  },
  {
    name: 'tells what stands in the way, and touches nothing when abandoned',
    run: async ({ world, open }) => {
      const move = await twoCommits(world, async () => {
        for (const path of ['a.txt', 'b.txt', 'n.txt', 'x.log', 'dir']) await world.write(path, 'new\n');
        await world.git('add', '-A');
      });
      await world.write('.git/info/exclude', '*.log\n');
      await world.write('a.txt', 'edited\n');
      await world.write('b.txt', 'staged\n');
      await world.git('add', 'b.txt');
      await world.write('n.txt', 'new\n');
      await world.write('x.log', 'mine\n');
      await world.write('dir/mine', 'mine\n');
      const status = await world.git('status', '--porcelain', '--ignored');
      const update = await (await open()).beginBranchUpdate(request(move));
      await update.abandon();
      assert.deepEqual(
        update.facts.map(
          ({ path, index, disk, ignored, occupants }) =>
            `${path} ${index} ${disk}${ignored ? ' ignored' : ''} ${occupants.join()}`,
        ),
        [
          'a.txt before other ',
          'b.txt other other ',
          'dir absent directory dir/mine',
          'n.txt absent after ',
          'x.log absent other ignored ',
        ],
      );
      assert.equal(await world.git('status', '--porcelain', '--ignored'), status);
      assert.equal(await revision(world, MAIN), move.from);
    },
  },
  {
    name: 'puts everything back when a file changes after the check',
    run: async ({ world, open }) => {
      const move = await twoCommits(world, async () => {
        for (const path of ['a.txt', 'b.txt']) await world.write(path, 'new\n');
      });
      const update = await (await open()).beginBranchUpdate(request(move));
      await world.write('b.txt', 'saved at this moment\n');
      await assert.rejects(update.apply(), hasCode('GIT_TARGET_CHANGED'));
      assert.deepEqual(await lines(world.git('status', '--porcelain')), [' M b.txt']);
      assert.equal(await revision(world, MAIN), move.from);
    },
  },
  {
    name: 'moves nothing when the branch is elsewhere',
    run: async ({ world, open }) => {
      const { from, to } = await twoCommits(world, () => world.write('a.txt', 'new\n'));
      const host = await open();
      await assert.rejects(host.beginBranchUpdate(request({ from: to, to: from })), hasCode('GIT_REF_MOVED'));
      assert.equal(await world.git('status', '--porcelain'), '');
    },
  },
  {
    name: 'lets one update at a time hold a repository',
    run: async ({ world, open }) => {
      const move = await twoCommits(world, () => world.write('a.txt', 'new\n'));
      const first = await (await open()).beginBranchUpdate(request(move));
      const second = (await open()).beginBranchUpdate(request(move));
      await first.apply();
      await assert.rejects(second, hasCode('GIT_REF_MOVED'));
    },
  },
  {
    name: 'moves only the ref of a branch that is checked out nowhere, and the work tree that has it',
    run: async ({ world, open }) => {
      const move = await twoCommits(world, () => world.write('a.txt', 'new\n'));
      await world.git('checkout', '-q', '-b', 'other');
      const host = await open();
      const only = await host.beginBranchUpdate(request(move));
      assert.equal(only.workTree, null);
      await only.apply();
      assert.equal(await revision(world, MAIN), move.to);
      const linked = `${world.folder}/linked`;
      await world.git('worktree', 'add', '-q', linked, 'main');
      const back = await host.beginBranchUpdate(request({ from: move.to, to: move.from }));
      assert.equal(back.workTree, linked);
      await back.apply();
      assert.equal(await world.gitIn(linked, 'status', '--porcelain', '--branch'), '## main');
      assert.equal(await world.git('status', '--porcelain'), '');
    },
  },
  {
    name: 'finds nothing to recover when all went well',
    run: async ({ world, open }) => {
      const move = await twoCommits(world, () => world.write('a.txt', 'new\n'));
      const host = await open();
      await (await host.beginBranchUpdate(request(move))).apply();
      assert.deepEqual(await host.recover(), { actions: [] });
    },
  },
];
