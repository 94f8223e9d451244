import { renameSync, rmSync } from 'node:fs';
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
