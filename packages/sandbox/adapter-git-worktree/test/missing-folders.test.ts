import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TemporaryRepository } from '@cleveragents/shared-testing';
import { openBench } from './sandbox-bench.ts';

describe('a sandbox whose folder is gone', () => {
  const refused = { code: 'SANDBOX_BROKEN', message: expect.stringContaining('is gone') };

  it('says so to every call, and can be cleaned up', async () => {
    const bench = await openBench();
    const { sandbox, path } = await bench.active();
    rmSync(path, { recursive: true });
    await expect(sandbox.getPath('.')).rejects.toMatchObject(refused);
    await expect(sandbox.changes()).rejects.toMatchObject(refused);
    await expect(sandbox.patch()).rejects.toMatchObject(refused);
    await expect(sandbox.commit()).rejects.toMatchObject(refused);
    await expect(sandbox.refresh()).rejects.toMatchObject(refused);
    await expect(sandbox.rollback()).rejects.toMatchObject(refused);
    expect(sandbox.status).toBe('active');
    await sandbox.cleanup();
    await bench.expectGitAgrees({ worktrees: 1 });
  });

  it('keeps what the agent had committed there', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    await plan.repository.git('add', '--all');
    await plan.repository.git('commit', '--quiet', '--message', 'agent');
    const commit = await plan.repository.head();
    rmSync(plan.path, { recursive: true });
    const { rescuedTo } = await plan.sandbox.cleanup();
    expect((await bench.repository.refs())[rescuedTo ?? '']).toBe(commit);
  });
});

describe('a sandbox that an agent cut off from its repository', () => {
  it.each(['the pointer of its folder', 'its admin folder'])(
    'keeps its files when it is cleaned up without %s',
    async (lost) => {
      const bench = await openBench();
      const plan = await bench.active();
      plan.write('new.txt', 'new\n');
      const admin = await plan.repository.git('rev-parse', '--absolute-git-dir');
      rmSync(lost === 'its admin folder' ? admin : join(plan.path, '.git'), { recursive: true });
      const { rescuedTo } = await plan.sandbox.cleanup();
      expect(await bench.repository.git('show', `${rescuedTo}:new.txt`)).toBe('new');
      await bench.expectGitAgrees({ worktrees: 1 });
    },
  );

  it('refuses to work with a repository of the own of an agent, and to throw it away', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const pointer = join(plan.path, '.git');
    rmSync(pointer);
    mkdirSync(pointer);
    await expect(plan.sandbox.commit()).rejects.toMatchObject({ code: 'SANDBOX_BROKEN' });
    await expect(plan.sandbox.cleanup()).rejects.toMatchObject({
      code: 'SANDBOX_BROKEN',
      hint: expect.stringContaining(pointer),
    });
    rmSync(pointer, { recursive: true });
    const { rescuedTo } = await plan.sandbox.cleanup();
    expect(await bench.repository.git('show', `${rescuedTo}:new.txt`)).toBe('new');
  });
});

describe('a sandbox whose project was moved', () => {
  it('says where it was, and goes on once it is back', async () => {
    const bench = await openBench();
    const plan = await bench.active();
    plan.write('new.txt', 'new\n');
    const { root } = bench.repository;
    renameSync(root, `${root}-moved`);
    await expect(plan.sandbox.commit()).rejects.toMatchObject({
      code: 'SANDBOX_NOT_A_REPOSITORY',
      message: `The project of this plan is not at ${root} any more`,
      hint: expect.stringContaining(plan.path),
    });
    renameSync(`${root}-moved`, root);
    expect((await plan.sandbox.commit()).addedFiles).toEqual(['new.txt']);
    await new TemporaryRepository(root).fsck();
  });
});
