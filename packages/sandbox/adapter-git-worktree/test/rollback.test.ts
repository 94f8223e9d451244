import { readdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { expectUnchanged } from '@cleveragents/shared-testing';
import { openBench } from './sandbox-bench.ts';

describe('a rollback of work that was not committed', () => {
  it('returns the worktree to its base, keeps ignored files, and keeps the work under a ref', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    const base = await plan.repository.head();
    plan.write('README.md', 'changed\n');
    plan.write('new/file.txt', 'new\n');
    plan.write('debug.log', 'ignored\n');
    plan.remove('src/main.ts');
    const { rescuedTo, targetRef } = await plan.sandbox.rollback();
    expect(targetRef).toBeNull();
    expect(await plan.repository.status({ ignored: true })).toEqual([{ state: '!!', path: 'debug.log' }]);
    expect([await plan.repository.head(), await plan.repository.branch()]).toEqual([
      base,
      'cleveragents/plan-plan-1',
    ]);
    expect(readdirSync(plan.path)).not.toContain('new');
    expect(await bench.repository.git('show', `${rescuedTo}:new/file.txt`)).toBe('new');
    expect(await bench.repository.git('show', `${rescuedTo}:README.md`)).toBe('changed');
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it("discards the agent's commits too, and keeps them", async () => {
    const bench = await openBench();
    const plan = await bench.active();
    const base = await plan.repository.head();
    await plan.repository.git('checkout', '--quiet', '--detach');
    const agents = await plan.repository.commit('by the agent', { 'agent.txt': 'agent\n' });
    const { rescuedTo } = await plan.sandbox.rollback();
    expect(await bench.repository.git('rev-parse', String(rescuedTo))).toBe(agents);
    expect(await plan.repository.head()).toBe(base);
  });

  it('keeps nothing when there was nothing', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    expect(await plan.sandbox.rollback()).toEqual({ rescuedTo: null, targetRef: null });
  });
});

describe('a rollback of a commit', () => {
  it('returns branch, index and files to what they were, byte for byte', async () => {
    const bench = await openBench();
    const leaveOut = ['.git'];
    const before = await bench.repository.snapshot({ leaveOut });
    const head = await bench.repository.head();
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    plan.write('new/file.txt', 'new\n');
    plan.remove('src/main.ts');
    await plan.sandbox.commit('ours');
    const { targetRef, rescuedTo } = await bench.reopen(plan.sandbox).rollback();
    expect(targetRef).toBe(head);
    expect(rescuedTo).toMatch(/^refs\/cleveragents\/rescue\//);
    expectUnchanged(before, await bench.repository.snapshot({ leaveOut }));
    expect(await bench.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it("keeps the user's uncommitted work elsewhere", async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    await plan.sandbox.commit('ours');
    await bench.repository.write('src/main.ts', 'mine\n');
    await bench.repository.write('notes.txt', 'mine\n');
    await plan.sandbox.rollback();
    expect(bench.read('README.md')).toBe('read me\n');
    expect(await bench.status()).toEqual(['?? notes.txt', '.M src/main.ts']);
  });

  it('is refused when the user edited one of the files since', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    await plan.sandbox.commit('ours');
    await bench.repository.write('README.md', 'changed and edited\n');
    await bench.expectRefused(() => plan.sandbox.rollback(), 'SANDBOX_ROLLBACK_FAILED');
    expect(plan.sandbox.status).toBe('committed');
  });

  it('is refused when commits came after, naming them, and a revert keeps them', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    plan.write('new.txt', 'new\n');
    await plan.sandbox.commit('ours');
    const later = await bench.repository.commit('later work', { 'later.txt': 'later\n' });
    const error = await bench.expectRefused(() => plan.sandbox.rollback(), 'SANDBOX_BRANCH_MOVED');
    expect(error.name).toBe('SandboxRollbackError');
    expect(error.message).toContain('later work');
    expect(error.data['commits']).toEqual([{ id: later, subject: 'later work' }]);
    await plan.sandbox.rollback({ strategy: 'revert' });
    expect([bench.read('README.md'), bench.read('new.txt'), bench.read('later.txt')]).toEqual([
      'read me\n',
      null,
      'later\n',
    ]);
    expect(await bench.repository.git('log', '-1', '--format=%P')).toBe(later);
    expect(await bench.status()).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('cannot be a revert where later commits changed the same places', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'changed\n');
    await plan.sandbox.commit('ours');
    await bench.repository.commit('later work', { 'README.md': 'changed again\n' });
    const error = await bench.expectRefused(
      () => plan.sandbox.rollback({ strategy: 'revert' }),
      'SANDBOX_ROLLBACK_FAILED',
    );
    expect(error.message).toContain('README.md');
  });

  it('works after the sandbox was cleaned up', async () => {
    const bench = await openBench();
    const head = await bench.repository.head();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    await plan.sandbox.commit('ours');
    const committed = bench.reopen(plan.sandbox);
    await plan.sandbox.cleanup();
    await committed.rollback();
    expect(await bench.repository.head()).toBe(head);
    expect(await bench.status()).toEqual([]);
  });

  it('of nothing takes nothing back', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    await plan.sandbox.commit('nothing');
    const head = await bench.repository.commit('later', { 'later.txt': 'later\n' });
    await plan.sandbox.rollback();
    expect(await bench.repository.head()).toBe(head);
  });

  it('finds the merge that a crash kept from being written down', async () => {
    for (const theirs of [false, true]) {
      const bench = await openBench();
      const head = await bench.repository.head();
      const plan = await bench.active();
      const unwritten = bench.reopen(plan.sandbox);
      plan.write('new.txt', 'new\n');
      const before = theirs ? await bench.repository.commit('theirs', { 'theirs.txt': 'theirs\n' }) : head;
      const first = await plan.sandbox.commit('ours');
      const second = await unwritten.commit('ours');
      expect(second).toMatchObject({
        mergeRef: first.mergeRef,
        previousRef: before,
        addedFiles: ['new.txt'],
      });
      await unwritten.rollback();
      expect(await bench.repository.head()).toBe(before);
      expect(await bench.status()).toEqual([]);
    }
  });
});

describe('a clean-up', () => {
  it('leaves no trace of a plan whose work is in the target', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    await plan.sandbox.commit('ours');
    const result = await plan.sandbox.cleanup();
    expect(result).toEqual({ worktreeRemoved: true, branchDeleted: true, rescuedTo: null, leftOver: [] });
    expect(readdirSync(bench.folder)).toEqual([]);
    expect(Object.keys(await bench.repository.refs())).toEqual(['refs/heads/main']);
    await bench.expectGitAgrees({ worktrees: 1 });
  });

  it('keeps work that no branch has, in files, in commits, on a detached HEAD, or after the apply', async () => {
    const arrangements: readonly ((
      plan: Awaited<ReturnType<Awaited<ReturnType<typeof openBench>>['active']>>,
    ) => Promise<unknown>)[] = [
      async (plan) => plan.write('kept.txt', 'kept\n'),
      async (plan) => plan.repository.commit('by the agent', { 'kept.txt': 'kept\n' }),
      async (plan) => {
        await plan.repository.git('checkout', '--quiet', '--detach');
        await plan.repository.commit('by the agent', { 'kept.txt': 'kept\n' });
      },
      async (plan) => {
        plan.write('new.txt', 'new\n');
        await plan.sandbox.commit('ours');
        plan.write('kept.txt', 'kept\n');
      },
    ];
    for (const arrange of arrangements) {
      const bench = await openBench();
      const plan = await bench.active();
      await arrange(plan);
      const { rescuedTo } = await plan.sandbox.cleanup();
      expect(await bench.repository.git('show', `${rescuedTo}:kept.txt`)).toBe('kept');
      await bench.expectGitAgrees({ worktrees: 1 });
    }
  });

  it('copes with a folder that is gone, an admin folder that is gone, and a lock of git', async () => {
    for (const damage of ['folder', 'admin', 'lock'] as const) {
      const bench = await openBench();
      const plan = await bench.active();
      await plan.repository.commit('by the agent', { 'kept.txt': 'kept\n' });
      const { gitDirectory } = plan.sandbox.context?.metadata as { gitDirectory: string };
      if (damage === 'folder') rmSync(plan.path, { recursive: true });
      if (damage === 'admin') rmSync(gitDirectory, { recursive: true });
      if (damage === 'lock') await bench.repository.git('worktree', 'lock', plan.path);
      const { rescuedTo } = await bench.reopen(plan.sandbox).cleanup();
      expect(await bench.repository.git('show', `${rescuedTo}:kept.txt`)).toBe('kept');
      expect(readdirSync(bench.folder)).toEqual([]);
      await bench.expectGitAgrees({ worktrees: 1 });
    }
  });

  it('removes links and leaves what they lead to', async () => {
    const bench = await openBench();
    await bench.repository.write('node_modules/pkg/index.js', 'kept\n');
    const sandbox = bench.make();
    await sandbox.create('plan-1', { link: ['node_modules'] });
    await sandbox.cleanup();
    expect(bench.read('node_modules/pkg/index.js')).toBe('kept\n');
  });

  it('lets go of what was kept for more than thirty days', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('old.txt', 'old\n');
    const { rescuedTo } = await plan.sandbox.cleanup();
    bench.clock.advance(31 * 24 * 60 * 60 * 1000);
    const later = await bench.active('plan-2');
    later.write('new.txt', 'new\n');
    const { rescuedTo: kept } = await later.sandbox.cleanup();
    const refs = Object.keys(await bench.repository.refs());
    expect(refs).not.toContain(rescuedTo);
    expect(refs).toContain(kept);
  });

  it('gives the work back to a new sandbox', async () => {
    const bench = await openBench();
    const base = await bench.repository.head();
    const plan = await bench.active();
    plan.write('kept.txt', 'kept\n');
    plan.remove('src/main.ts');
    const { rescuedTo } = await plan.sandbox.cleanup();
    const again = bench.make();
    await again.create('plan-1', { startFrom: { content: String(rescuedTo), base } });
    expect((await again.changes()).files.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'added kept.txt',
      'deleted src/main.ts',
    ]);
    await bench.expectGitAgrees({ worktrees: 2 });
  });
});

describe('a sandbox whose git files were tampered with', () => {
  it('is refused instead of climbing to another repository', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    rmSync(`${plan.path}/.git`);
    await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_BROKEN');
    plan.write('.git', `gitdir: ${bench.repository.root}/.git\n`);
    await bench.expectRefused(() => plan.sandbox.commit('ours'), 'SANDBOX_BROKEN');
    await bench.expectRefused(() => plan.sandbox.rollback(), 'SANDBOX_BROKEN');
  });
});
