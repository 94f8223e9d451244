import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FilePlanRepository } from '@cleveragents/sandbox-adapter-fs';
import { newPlan } from '@cleveragents/sandbox-domain';
import { planRepositoryContract } from '@cleveragents/sandbox-ports/contract';
import { parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { runContract, temporaryDirectory } from '@cleveragents/shared-testing';

runContract(planRepositoryContract, {
  open: () => {
    const directory = join(temporaryDirectory().path, 'plans');
    const reopen = (): FilePlanRepository => new FilePlanRepository({ directory });
    return { plans: reopen(), reopen };
  },
});

const planId = parsePlanId('a');
const plan = newPlan(
  planId,
  { resourceId: 'app', type: 'git-checkout', path: '/projects/app', project: 'local/app' },
  { status: 'pending', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
  new Date('2026-04-09T17:30:00Z'),
);

describe('a stored plan', () => {
  it('is for its owner alone and leaves no temporary file', async () => {
    const directory = join(temporaryDirectory().path, 'plans');
    await new FilePlanRepository({ directory }).save(plan);
    const [name, ...others] = readdirSync(directory);
    expect(others).toEqual([]);
    expect(statSync(join(directory, String(name))).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, String(name)), 'utf8')).toMatch(/}\n$/);
  });

  it.each([
    ['cut off', '{"schemaVersion": 1, "planId": "b"', 'damaged'],
    ['of a newer version', '{"schemaVersion": 2}', 'newer'],
    ['no record', '[]', 'damaged'],
    ['empty', '', 'damaged'],
  ])('that is %s is reported and hides no other', async (_what, text, fault) => {
    const directory = temporaryDirectory().path;
    const plans = new FilePlanRepository({ directory });
    await plans.save(plan);
    writeFileSync(join(directory, 'b-0123456789ab.json'), text);
    const { plans: listed, unreadable } = await plans.list();
    expect(listed).toEqual([plan]);
    expect(unreadable).toEqual([
      { name: 'b-0123456789ab.json', reason: expect.stringContaining('cannot be read'), fault },
    ]);
  });

  it('that is damaged is put aside and kept, one beside the other; no other record is', async () => {
    const directory = temporaryDirectory().path;
    const plans = new FilePlanRepository({ directory });
    await plans.save(plan);
    const name = 'b-0123456789ab.json';
    writeFileSync(join(directory, name), '{');
    expect(await plans.putAside(name)).toBe('b-0123456789ab.damaged');
    writeFileSync(join(directory, name), '{{');
    expect(await plans.putAside(name)).toBe('b-0123456789ab.damaged-1');
    expect(readFileSync(join(directory, 'b-0123456789ab.damaged'), 'utf8')).toBe('{');
    expect(await plans.putAside(name)).toBeNull();
    writeFileSync(join(directory, name), '{"schemaVersion": 2}');
    expect(await plans.putAside(name)).toBeNull();
    expect(await plans.putAside(`${planKey(planId)}.json`)).toBeNull();
    expect((await plans.list()).plans).toEqual([plan]);
  });

  it('tells of the locks that are held, and frees none of the living', async () => {
    const directory = temporaryDirectory().path;
    const plans = new FilePlanRepository({ directory });
    const [lock] = await plans.withPlanLock(planId, () => plans.listLocks());
    expect(lock).toMatchObject({ holder: 'alive', pid: process.pid, kind: 'own-folder' });
    expect(await plans.withPlanLock(planId, () => plans.freeLock(lock?.path ?? ''))).toBe(false);
    expect(await plans.listLocks()).toEqual([]);
  });

  it('that is damaged is refused with the file to look at', async () => {
    const directory = temporaryDirectory().path;
    const plans = new FilePlanRepository({ directory });
    await plans.save(plan);
    const [name = ''] = readdirSync(directory).filter((file) => file.endsWith('.json'));
    writeFileSync(join(directory, name), '{');
    await expect(plans.load(planId)).rejects.toMatchObject({
      code: 'PLAN_RECORD_UNREADABLE',
      data: { file: join(directory, name) },
    });
  });

  it('cannot be worked on while somebody else does', async () => {
    const directory = temporaryDirectory().path;
    const plans = new FilePlanRepository({ directory });
    const impatient = new FilePlanRepository({ directory, lockTimeoutMs: 0 });
    let release = (): void => undefined;
    const held = new Promise<void>((taken) => {
      void plans.withPlanLock(planId, () => {
        taken();
        return new Promise<void>((done) => (release = done));
      });
    });
    await held;
    await expect(impatient.withPlanLock(planId, () => Promise.resolve())).rejects.toMatchObject({
      code: 'PLAN_LOCKED',
      hint: expect.stringContaining('Wait'),
    });
    release();
  });
});

describe('a file system that refuses', () => {
  it.each([
    ['load', (plans: FilePlanRepository) => plans.load(planId)],
    ['save', (plans: FilePlanRepository) => plans.save(plan)],
    ['list', (plans: FilePlanRepository) => plans.list()],
    ['delete', (plans: FilePlanRepository) => plans.delete(planId)],
    ['withPlanLock', (plans: FilePlanRepository) => plans.withPlanLock(planId, async () => undefined)],
  ])('makes %s fail in our words', async (_name, call) => {
    const file = join(temporaryDirectory().path, 'a file');
    writeFileSync(file, '');
    const plans = new FilePlanRepository({ directory: join(file, 'plans') });
    await expect(call(plans)).rejects.toMatchObject({
      name: 'PlanStoreError',
      code: 'PLAN_STORE_FAILED',
      hint: expect.stringMatching(/\w/),
      cause: expect.objectContaining({ code: 'ENOTDIR' }),
    });
  });

  it('leaves the errors of the work under the lock as they are', async () => {
    const plans = new FilePlanRepository({ directory: temporaryDirectory().path });
    const refused = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const timedOut = Object.assign(new Error('of another lock'), { code: 'LOCK_TIMEOUT' });
    await expect(plans.withPlanLock(planId, () => Promise.reject(refused))).rejects.toBe(refused);
    await expect(plans.withPlanLock(planId, () => Promise.reject(timedOut))).rejects.toBe(timedOut);
  });

  it('is not worked on by a process that died', async () => {
    const directory = temporaryDirectory().path;
    const plans = new FilePlanRepository({ directory });
    const script = `
      const { FilePlanRepository } = await import('@cleveragents/sandbox-adapter-fs');
      await new FilePlanRepository({ directory: ${JSON.stringify(directory)} }).beginWork('a', 'npm test');
      process.kill(process.pid, 'SIGKILL');`;
    const { signal } = spawnSync(
      process.execPath,
      ['--conditions=@cleveragents/source', '--import=tsx', '--input-type=module', '-e', script],
      { cwd: import.meta.dirname, env: { ...process.env, NODE_OPTIONS: '' } },
    );
    expect(signal).toBe('SIGKILL');
    expect(readdirSync(directory).filter((name) => name.includes('.work+'))).toHaveLength(1);
    expect(await plans.listWork(planId)).toEqual([]);
    expect(readdirSync(directory).filter((name) => name.includes('.work+'))).toEqual([]);
  });
});
