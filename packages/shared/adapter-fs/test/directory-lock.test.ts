import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  breakStaleLock,
  inspectLock,
  inspectLocks,
  processIdentity,
  withDirectoryLock,
  type LockOptions,
  type ProcessIdentity,
} from '@cleveragents/shared-adapter-fs';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { free, newClaim, tryToTake } from '../src/lock-folder.ts';

const newLock = (): string => join(temporaryDirectory().path, 'some', 'lock');
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const DEAD = 999_999_999;

/** Resolves when the lock is held. */
async function hold(lock: string, owner: string): Promise<{ release(): Promise<void> }> {
  const gates = { entered: (): void => undefined, left: (): void => undefined };
  const entered = new Promise<void>((resolve) => (gates.entered = resolve));
  const left = new Promise<void>((resolve) => (gates.left = resolve));
  const work = withDirectoryLock(
    lock,
    async () => {
      gates.entered();
      await left;
    },
    { owner },
  );
  await entered;
  return {
    release: async () => {
      gates.left();
      await work;
    },
  };
}

/** A lock as some other process left it. */
function heldBy(overrides: Partial<ProcessIdentity>): { lock: string; mark: string } {
  const lock = newLock();
  const { pid, startTime, bootId, pidNamespace, host } = { ...processIdentity(), ...overrides };
  const mark = `p${pid.toString()}+s${startTime}+b${bootId}+n${pidNamespace}+h${host}+0123456789abcdef`;
  mkdirSync(lock, { recursive: true });
  writeFileSync(
    join(lock, mark),
    JSON.stringify({ owner: 'plan apply x', since: '2026-01-01T00:00:00.000Z' }),
  );
  return { lock, mark };
}

describe('withDirectoryLock', () => {
  it('returns what the work returns, and leaves nothing behind', async () => {
    const lock = newLock();
    expect(await withDirectoryLock(lock, async () => await Promise.resolve(existsSync(lock)))).toBe(true);
    expect(readdirSync(join(lock, '..'))).toEqual([]);
  });

  it('is freed when the work fails', async () => {
    const lock = newLock();
    const work = withDirectoryLock(lock, () => {
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(inspectLock(lock)).toBeNull();
    expect(await withDirectoryLock(lock, () => 'next', { timeoutMs: 0 })).toBe('next');
  });

  it('lets in one at a time within a process, in the order they came', async () => {
    const lock = newLock();
    const events: string[] = [];
    const visit = (name: string): Promise<void> =>
      withDirectoryLock(lock, async () => {
        events.push(`${name} in`);
        await turn();
        events.push(`${name} out`);
      });
    await Promise.all(['a', 'b', 'c'].map(visit));
    expect(events).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('does not hinder another lock, nor one taken inside', async () => {
    const lock = newLock();
    const inner = newLock();
    expect(
      await withDirectoryLock(lock, () => withDirectoryLock(inner, () => 'both', { timeoutMs: 0 })),
    ).toBe('both');
  });

  it('refuses at once to wait for itself', async () => {
    const lock = newLock();
    const nested = withDirectoryLock(lock, () => withDirectoryLock(`${lock}/../lock`, () => 'never'));
    await expect(nested).rejects.toThrow(/held by the very work that asks for it/);
    expect(inspectLock(lock)).toBeNull();
  });

  it('may be taken by what the work started and left behind', async () => {
    const lock = newLock();
    let started: Promise<string> | undefined;
    await withDirectoryLock(lock, () => {
      started = turn().then(() => withDirectoryLock(lock, () => 'later'));
    });
    expect(await started).toBe('later');
  });

  it('times out, naming the holder and what to do', async () => {
    const lock = newLock();
    const holder = await hold(lock, 'plan apply x');
    const error: unknown = await withDirectoryLock(lock, () => 'never', { timeoutMs: 0 }).catch(
      (reason: unknown) => reason,
    );
    await holder.release();
    expect(error).toMatchObject({
      code: 'LOCK_TIMEOUT',
      message: expect.stringMatching(
        /^Waited 0 s for the lock .*, held by this process, process \d+ \(plan apply x\) since 20/,
      ),
      hint: expect.stringMatching(/^Wait for it to finish/),
      data: { lock, state: 'alive', pid: process.pid, owner: 'plan apply x' },
    });
  });

  it('can be aborted while it waits, and not by a signal of another', async () => {
    const { lock } = heldBy({});
    const controller = new AbortController();
    const waits = [1, 2].map(() => withDirectoryLock(lock, () => 'never', { signal: controller.signal }));
    const outcomes = Promise.allSettled(waits);
    await turn();
    controller.abort(new Error('changed my mind'));
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'changed my mind' } });
    expect(readdirSync(join(lock, '..'))).toEqual(['lock']);
    await expect(withDirectoryLock(lock, () => 'never', { signal: controller.signal })).rejects.toThrow(
      'changed my mind',
    );
  });

  it('keeps the order when one of those that wait gives up', async () => {
    const lock = newLock();
    const events: string[] = [];
    const visit = (name: string, options: LockOptions = {}): Promise<unknown> =>
      withDirectoryLock(lock, () => events.push(name), options);
    const holder = await hold(lock, 'first');
    const late = visit('never', { timeoutMs: 0 });
    const last = visit('last');
    await expect(late).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    events.push('given up');
    await holder.release();
    await last;
    expect(events).toEqual(['given up', 'last']);
  });

  it('takes over from a dead process, and from one of an earlier boot', async () => {
    for (const { lock } of [heldBy({ pid: DEAD }), heldBy({ bootId: '0'.repeat(32) })])
      expect(await withDirectoryLock(lock, () => 'mine', { timeoutMs: 0 })).toBe('mine');
  });

  it.each([
    ['a living process', {}, /held by this process, process/, /^Wait for it/],
    [
      'another machine',
      { host: 'elsewhere' },
      /process \d+ on elsewhere \(plan apply x\) since 2026/,
      /^The holder is on another machine/,
    ],
    ['another container', { pidNamespace: '1' }, /process \d+ on /, /^The holder is on another machine/],
  ] as const)('does not take over from %s', async (_who, overrides, message, hint) => {
    const { lock, mark } = heldBy(overrides);
    const wait = withDirectoryLock(lock, () => 'never', { timeoutMs: 20 });
    await expect(wait).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(readdirSync(lock)).toEqual([mark]);
    expect(readdirSync(join(lock, '..'))).toEqual(['lock']);
  });

  it('does not touch a folder with something in it that no lock puts there', async () => {
    const lock = newLock();
    mkdirSync(lock, { recursive: true });
    writeFileSync(join(lock, 'precious'), 'x');
    const wait = withDirectoryLock(lock, () => 'never', { timeoutMs: 0 });
    await expect(wait).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      message: expect.stringContaining('precious'),
    });
    expect(readdirSync(lock)).toEqual(['precious']);
  });

  it('sweeps what those left that were killed while they waited', async () => {
    const { lock, mark } = heldBy({ pid: DEAD });
    mkdirSync(`${lock}.wait-000000000000001-${mark}`);
    mkdirSync(`${lock}.wait-unknown`);
    await withDirectoryLock(lock, () => undefined);
    expect(readdirSync(join(lock, '..'))).toEqual(['lock.wait-unknown']);
  });

  it('tells its holder when the lock was removed under it', async () => {
    const lock = newLock();
    const work = withDirectoryLock(lock, (held) => {
      held.assertHeld();
      rmSync(lock, { recursive: true });
      held.assertHeld();
    });
    await expect(work).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });
});

describe('a taker that comes too late', () => {
  it('can not free the lock that another took over from the same dead holder', async () => {
    const { lock, mark } = heldBy({ pid: DEAD });
    await withDirectoryLock(lock, () => {
      expect(free(lock, mark)).toBe(false);
      expect(tryToTake(newClaim(lock), null)).toBe(false);
      expect(inspectLock(lock)).toMatchObject({ state: 'alive' });
    });
  });
});

describe('inspectLock and breakStaleLock', () => {
  it('tell who holds a lock and free it only from the dead', () => {
    const dead = heldBy({ pid: DEAD });
    expect(inspectLock(dead.lock)).toEqual({
      process: { ...processIdentity(), pid: DEAD },
      state: 'dead',
      owner: 'plan apply x',
      since: new Date('2026-01-01T00:00:00Z'),
      mark: dead.mark,
    });
    expect(breakStaleLock(dead.lock)).toMatchObject({ state: 'dead' });
    expect(inspectLock(dead.lock)).toBeNull();
    expect(breakStaleLock(dead.lock)).toBeNull();
    const alive = heldBy({});
    expect(breakStaleLock(alive.lock, { unknownToo: true })).toBeNull();
    expect(inspectLock(alive.lock)).toMatchObject({ state: 'alive' });
  });

  it('leave a lock of another machine to a person', () => {
    const { lock } = heldBy({ host: 'elsewhere' });
    expect(breakStaleLock(lock)).toBeNull();
    expect(breakStaleLock(lock, { unknownToo: true })).toMatchObject({ state: 'unknown' });
    expect(inspectLock(lock)).toBeNull();
  });

  it('say nothing of a note that was never written', () => {
    const { lock, mark } = heldBy({ pid: DEAD });
    writeFileSync(join(lock, mark), '{"owner": 1');
    expect(inspectLock(lock)).toMatchObject({ owner: null, since: null });
  });
});

describe('the locks of a folder', () => {
  it('are those that are held, by name, and looking changes nothing', async () => {
    const folder = temporaryDirectory().path;
    const [one, other] = [join(folder, 'b.lock'), join(folder, 'a.lock')];
    expect(inspectLocks(join(folder, 'missing'))).toEqual([]);
    const held = [await hold(one, 'first'), await hold(other, 'second')];
    mkdirSync(join(folder, 'free.lock'));
    writeFileSync(join(folder, 'file.lock'), '');
    const before = readdirSync(folder);
    expect(inspectLocks(folder).map(({ path, holder }) => [path, holder.owner, holder.state])).toEqual([
      [other, 'second', 'alive'],
      [one, 'first', 'alive'],
    ]);
    expect(readdirSync(folder)).toEqual(before);
    for (const { release } of held) await release();
  });
});
