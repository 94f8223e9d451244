import { AsyncLocalStorage } from 'node:async_hooks';
import { lstatSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, ValidationError } from '@cleveragents/shared-kernel';
import { DirectoryLockError } from './directory-lock.errors.ts';
import { timeoutError } from './lock-timeout.ts';
import {
  announce,
  free,
  lockFoldersIn,
  newClaim,
  olderClaims,
  readHolder,
  readMark,
  stateOf,
  tryToTake,
  withdraw,
  type Claim,
  type LockHolder,
} from './lock-folder.ts';

export interface LockOptions {
  /** How long to wait for others. Default 30,000; 0 tries once. */
  readonly timeoutMs?: number;
  /** Ends the wait with the signal's reason. Once the lock is held it is up to the work to listen. */
  readonly signal?: AbortSignal | undefined;
  /** What this holder calls itself in the errors of those that wait: `plan apply fix-parser`. */
  readonly owner?: string;
}

/** The lock, from inside. */
export interface HeldLock {
  readonly path: string;
  /**
   * To be called before a step that must not happen twice.
   * @throws DirectoryLockError `LOCK_LOST`
   */
  assertHeld(): void;
}

interface Hold {
  readonly path: string;
  current: boolean;
}

const holds = new AsyncLocalStorage<readonly Hold[]>();
/** Resolves when everybody of this process that asked for the lock so far is done with it. */
const turns = new Map<string, Promise<void>>();

/**
 * Runs `work` while no other process, and nobody else in this one, runs work under the lock `path`, and returns its result.
 * Those that wait get their turn about in the order they came. The lock is freed when the work resolves or rejects, and
 * belongs to the next one at once when its holder was killed or the machine went down. A holder in another container or on
 * another machine is always taken for alive.
 *
 * @param path of a folder that belongs to the lock alone; absent while the lock is free. Missing parents are made, and
 *   folders `<name>.wait-...` lie beside it while somebody waits. The name is at most 100 bytes long.
 * @throws DirectoryLockError `LOCK_TIMEOUT`, naming the holder.
 * @throws Error when called inside the work of the same lock: it would wait for itself.
 */
export async function withDirectoryLock<Result>(
  path: string,
  work: (lock: HeldLock) => Promise<Result> | Result,
  { timeoutMs = 30_000, signal, owner }: LockOptions = {},
): Promise<Result> {
  const lock = resolve(path);
  if (Buffer.byteLength(basename(lock)) > 100)
    throw new ValidationError(`The name of a lock is at most 100 bytes long: ${lock}`);
  const outer = holds.getStore() ?? [];
  if (outer.some((hold) => hold.path === lock && hold.current))
    throw new Error(`${lock} is held by the very work that asks for it`);
  const wait: Wait = {
    lock,
    timeoutMs,
    deadline: performance.now() + timeoutMs,
    signal,
    owner: owner ?? null,
  };
  return await inTurn(wait, async () => {
    const mark = await take(wait);
    const hold: Hold = { path: lock, current: true };
    try {
      return await holds.run([...outer, hold], async () => await work(heldLock(lock, mark)));
    } finally {
      hold.current = false;
      free(lock, mark);
    }
  });
}

/** Who holds the lock at this moment, for `doctor` and the like; null: nobody. Changes nothing. */
export function inspectLock(path: string): LockHolder | null {
  return readHolder(resolve(path));
}

/** The same of every lock `<name>.lock` that lies in a folder and is held, by name. A missing folder has none. */
export function inspectLocks(
  directory: string,
): readonly { readonly path: string; readonly holder: LockHolder }[] {
  return lockFoldersIn(resolve(directory)).flatMap((path) => {
    const holder = readHolder(path);
    return holder === null ? [] : [{ path, holder }];
  });
}

/**
 * Frees a lock whose holder is dead, also without waiting for somebody to want it. A living holder's lock is never touched;
 * one of another machine or container only with `unknownToo`, which is for a person who knows that nothing runs there.
 *
 * @returns the holder whose lock was freed; null: there was nothing to free.
 */
export function breakStaleLock(path: string, { unknownToo = false } = {}): LockHolder | null {
  const lock = resolve(path);
  const holder = readHolder(lock);
  if (holder === null || holder.state === 'alive' || (holder.state === 'unknown' && !unknownToo)) return null;
  return free(lock, holder.mark) ? holder : null;
}

interface Wait {
  readonly lock: string;
  readonly timeoutMs: number;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  readonly owner: string | null;
}

/** One at a time within this process, in order of arrival, so that only one of its calls waits on the disk. */
async function inTurn<Result>(wait: Wait, work: () => Promise<Result>): Promise<Result> {
  const before = turns.get(wait.lock);
  let done = (): void => undefined;
  const mine = new Promise<void>((resolveMine) => {
    done = resolveMine;
  });
  const all = (before ?? Promise.resolve()).then(() => mine);
  turns.set(wait.lock, all);
  try {
    wait.signal?.throwIfAborted();
    if (before !== undefined) await settled(before, wait);
    return await work();
  } finally {
    done();
    if (turns.get(wait.lock) === all) turns.delete(wait.lock);
  }
}

async function settled(before: Promise<void>, wait: Wait): Promise<void> {
  const over = new AbortController();
  const { signal } = wait;
  const stop = (): void => {
    over.abort();
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const first = await Promise.race([
      before.then(() => 'turn'),
      pause(Math.max(0, wait.deadline - performance.now()), over.signal).then(() => 'time'),
    ]);
    signal?.throwIfAborted();
    if (first === 'time') throw timeoutError(wait.lock, wait.timeoutMs, readHolder(wait.lock));
  } finally {
    over.abort();
    signal?.removeEventListener('abort', stop);
  }
}

/** @returns the mark under which the lock is held. */
async function take(wait: Wait): Promise<string> {
  const claim = newClaim(wait.lock);
  let taken = false;
  try {
    await untilTaken(claim, wait);
    taken = true;
    return claim.mark;
  } finally {
    if (!taken) withdraw(claim);
  }
}

/**
 * The eldest claim looks often and takes the lock as soon as it is free. The others look less often, and take it only when
 * they find it free twice running: then the eldest is asleep, and must not stop everybody.
 */
async function untilTaken(claim: Claim, { lock, owner, deadline, timeoutMs, signal }: Wait): Promise<void> {
  let seen: string | null | undefined;
  let pauseMs = 1;
  let older = 0;
  for (;;) {
    signal?.throwIfAborted();
    const mark = markOfTheLiving(lock);
    const moved = mark !== seen;
    const expired = performance.now() >= deadline;
    if (moved || mark === null) older = olderClaims(claim);
    if (mark === null && (older === 0 || !moved || expired) && tryToTake(claim, owner)) return;
    if (expired) throw timeoutError(lock, timeoutMs, readHolder(lock));
    seen = mark;
    announce(claim);
    pauseMs = moved ? 1 : Math.min(pauseMs * 1.5, 25);
    const patience = older === 0 ? 1 : 3;
    await pause(
      Math.min(patience * pauseMs * (0.5 + Math.random()), Math.max(0, deadline - performance.now())),
      signal,
    );
  }
}

/** Frees the lock on the way if its holder is dead. */
function markOfTheLiving(lock: string): string | null {
  const mark = readMark(lock);
  if (mark === null || stateOf(mark) !== 'dead') return mark;
  free(lock, mark);
  return null;
}

function heldLock(path: string, mark: string): HeldLock {
  return {
    path,
    assertHeld(): void {
      if (lstatSync(join(path, mark), { throwIfNoEntry: false }) !== undefined) return;
      throw new DirectoryLockError('LOCK_LOST', `The lock ${path} was removed while it was held`, {
        hint: 'Something other than cleveragents removed it. Make sure that nothing else runs, then try again.',
        data: { lock: path },
      });
    },
  };
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!hasCode(error, 'ABORT_ERR')) throw error;
  }
}
