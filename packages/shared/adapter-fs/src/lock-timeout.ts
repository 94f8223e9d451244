import { DirectoryLockError } from './directory-lock.errors.ts';
import type { LockHolder } from './lock-folder.ts';

export function timeoutError(lock: string, timeoutMs: number, holder: LockHolder | null): DirectoryLockError {
  return new DirectoryLockError(
    'LOCK_TIMEOUT',
    `Waited ${(timeoutMs / 1000).toString()} s for the lock ${lock}, held by ${describe(holder)}`,
    {
      hint: hintFor(lock, holder),
      data: {
        lock,
        timeoutMs,
        state: holder?.state ?? null,
        pid: holder?.process?.pid ?? null,
        host: holder?.process?.host ?? null,
        owner: holder?.owner ?? null,
        since: holder?.since?.toISOString() ?? null,
      },
    },
  );
}

function describe(holder: LockHolder | null): string {
  if (holder === null) return 'one process after the other';
  if (holder.process === null) return `a file that is not ours, ${holder.mark}`;
  const self = holder.process.pid === process.pid && holder.state === 'alive' ? 'this process, ' : '';
  const where = holder.state === 'unknown' ? ` on ${holder.process.host}` : '';
  const what = holder.owner === null ? '' : ` (${holder.owner})`;
  const since = holder.since === null ? '' : ` since ${holder.since.toISOString()}`;
  return `${self}process ${holder.process.pid.toString()}${where}${what}${since}`;
}

function hintFor(lock: string, holder: LockHolder | null): string {
  if (holder?.process === null) return `Remove ${lock} if you know what put that file there.`;
  if (holder?.state === 'unknown')
    return `The holder is on another machine or in another container. If it is surely gone, remove ${lock}.`;
  return 'Wait for it to finish, or give it more time; if that process hangs, end it and try again.';
}
