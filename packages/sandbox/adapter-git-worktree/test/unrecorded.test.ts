import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import { type ActiveSandbox, openBench, type SandboxBench } from './sandbox-bench.ts';

/** The sandbox as the last record says that it is: its process died after the call, and before it wrote that down. */
function beforeTheCall(bench: SandboxBench, plan: ActiveSandbox): () => GitWorktreeSandbox {
  const state = JSON.parse(JSON.stringify(plan.sandbox.state));
  return () => bench.make({ state });
}

describe('a creation that nobody wrote down', () => {
  it('is started over by the next creation', async () => {
    const bench = await openBench();
    const sandbox = bench.make();
    const reopened = bench.make({ state: sandbox.state });
    const { sandboxPath: lost } = await sandbox.create('plan-1');
    const { sandboxPath } = await reopened.create('plan-1');
    expect(readdirSync(bench.folder).map((name) => join(bench.folder, name))).toEqual([sandboxPath]);
    expect(sandboxPath).not.toBe(lost);
    await bench.expectGitAgrees({ worktrees: 2 });
  });

  it('goes with a clean-up, and keeps no other sandbox of the plan from being made', async () => {
    const bench = await openBench();
    const sandbox = bench.make();
    const reopened = bench.make({ state: sandbox.state });
    await sandbox.create('plan-1');
    expect(await reopened.cleanup()).toMatchObject({ worktreeRemoved: true, branchDeleted: true });
    expect(readdirSync(bench.folder)).toEqual([]);
    await bench.expectGitAgrees({ worktrees: 1 });
    await bench.make().create('plan-1');
  });

  it('of a sandbox that never was leaves a clean-up nothing to do, wherever it was to be', async () => {
    const bench = await openBench();
    const nowhere = bench.make({ originalPath: join(bench.folder, 'nowhere') });
    expect(await nowhere.cleanup()).toMatchObject({ worktreeRemoved: false, leftOver: [] });
    expect(nowhere.status).toBe('cleaned_up');
  });
});

describe('an apply that nobody wrote down', () => {
  it.each([
    ['rollback', (sandbox: GitWorktreeSandbox) => sandbox.rollback()],
    ['refresh', (sandbox: GitWorktreeSandbox) => sandbox.refresh()],
    ['cleanup', (sandbox: GitWorktreeSandbox) => sandbox.cleanup()],
  ])('keeps a %s from making its undo impossible', async (_name, call) => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const reopen = beforeTheCall(bench, plan);
    await plan.sandbox.commit();
    await bench.expectRefused(() => call(reopen()), 'SANDBOX_INVALID_STATE');
  });

  it.each([
    ['rollback', (sandbox: GitWorktreeSandbox) => sandbox.rollback()],
    ['refresh', (sandbox: GitWorktreeSandbox) => sandbox.refresh()],
    ['cleanup', (sandbox: GitWorktreeSandbox) => sandbox.cleanup()],
    ['commit into the branch it began on', (sandbox: GitWorktreeSandbox) => sandbox.commit()],
  ])('into another branch keeps a %s from making its undo impossible', async (_name, call) => {
    const bench = await openBench();
    await bench.repository.git('branch', 'feature/other');
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const reopen = beforeTheCall(bench, plan);
    const result = await plan.sandbox.commit('ours', { targetBranch: 'feature/other' });
    const error = await bench.expectRefused(() => call(reopen()), 'SANDBOX_INVALID_STATE');
    expect([error.message, (error as { hint?: string }).hint]).toEqual([
      expect.stringContaining('is in feature/other already'),
      expect.stringContaining('plan apply --into feature/other'),
    ]);
    const again = reopen();
    expect(await again.commit('ours', { targetBranch: 'feature/other' })).toEqual(result);
    await again.rollback();
    expect(await bench.repository.git('rev-parse', 'feature/other')).toBe(await bench.repository.head());
  });

  it.each(['forward', 'merged'])('is found by the next one, and taken back as a whole (%s)', async (how) => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    if (how === 'merged') await bench.repository.commit('by the user', { 'theirs.txt': 'theirs\n' });
    const before = await bench.repository.head();
    const reopen = beforeTheCall(bench, plan);
    const result = await plan.sandbox.commit();
    const again = reopen();
    expect(await again.commit()).toEqual(result);
    await again.rollback();
    expect(await bench.repository.head()).toBe(before);
    expect(bench.read('new.txt')).toBeNull();
    expect(await bench.status()).toEqual([]);
  });

  it('is taken back to where the target stood, also when the agent had merged the target by itself', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    const theirs = await bench.repository.commit('by the user', { 'theirs.txt': 'theirs\n' });
    await plan.repository.git('merge', '--quiet', 'main');
    plan.write('new.txt', 'new\n');
    const reopen = beforeTheCall(bench, plan);
    await plan.sandbox.commit();
    const again = reopen();
    await again.commit();
    await again.rollback();
    expect(await bench.repository.head()).toBe(theirs);
    expect(bench.read('theirs.txt')).toBe('theirs\n');
  });
});

describe('a refresh that nobody wrote down', () => {
  it('does not make the commits of the user changes of the plan', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    const theirs = await bench.repository.commit('by the user', { 'theirs.txt': 'theirs\n' });
    const reopen = beforeTheCall(bench, plan);
    await plan.sandbox.refresh();
    plan.write('new.txt', 'new\n');
    const again = reopen();
    expect((await again.changes()).files.map(({ path }) => path)).toEqual(['new.txt']);
    await again.commit();
    await again.rollback();
    expect(await bench.repository.head()).toBe(theirs);
  });

  it('counts from the new base while its conflicts are resolved', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('README.md', 'ours\n');
    await bench.repository.commit('by the user', { 'README.md': 'theirs\n', 'theirs.txt': 'theirs\n' });
    const reopen = beforeTheCall(bench, plan);
    expect((await plan.sandbox.refresh()).kind).toBe('conflicts');
    plan.write('README.md', 'both\n');
    expect((await reopen().commit()).files.map(({ path }) => path)).toEqual(['README.md']);
  });
});

describe('a rollback that nobody wrote down', () => {
  it('rescues once, and names that again', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const reopen = beforeTheCall(bench, plan);
    const { rescuedTo } = await plan.sandbox.rollback();
    expect(await reopen().rollback()).toEqual({ rescuedTo, targetRef: null });
    expect(
      await bench.repository.git('for-each-ref', '--format=%(refname)', 'refs/cleveragents/rescue'),
    ).toBe(rescuedTo);
  });

  it.each(['reset', 'revert'] as const)('undoes an apply once (%s)', async (strategy) => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    await plan.sandbox.commit();
    const reopen = beforeTheCall(bench, plan);
    const { targetRef } = await plan.sandbox.rollback({ strategy });
    const again = await reopen().rollback({ strategy });
    expect(again.targetRef).toBe(targetRef);
    expect(await bench.repository.head()).toBe(targetRef);
  });
});

describe('a clean-up that nobody wrote down', () => {
  it('is done, and names what it rescued', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const reopen = beforeTheCall(bench, plan);
    const { rescuedTo } = await plan.sandbox.cleanup();
    expect(await reopen().cleanup()).toMatchObject({ rescuedTo, branchDeleted: true, leftOver: [] });
    const refs = await bench.repository.refs();
    expect(Object.keys(refs).sort()).toEqual(['refs/heads/main', rescuedTo].sort());
  });
});
