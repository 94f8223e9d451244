import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';
import {
  isProcessAlive,
  parseProcessMark,
  processMark,
  processState,
  type ProcessIdentity,
  type ProcessState,
} from './process-identity.ts';

/** Who holds a lock, or seems to. */
export interface LockHolder {
  /** Null when something lies in the lock that no lock of ours would put there. */
  readonly process: ProcessIdentity | null;
  readonly state: ProcessState;
  /** What the holder called itself. */
  readonly owner: string | null;
  readonly since: Date | null;
  /** The name of the holder's file in the lock folder. */
  readonly mark: string;
}

/*
 * The protocol. A lock is a folder with one file in it, whose name is the holder's mark; no folder, or an empty one, is a
 * free lock.
 * - Take: a folder with the file inside is prepared beside the lock and renamed onto it. The system does that only if the
 *   target is absent or an empty folder, and lets one of several win.
 * - Release: unlink the file. Nothing else frees a lock, and the name is never used again.
 * - Take over: unlink the dead holder's file, by name. A taker that is late, however late, finds no such name: it can not
 *   free a lock that somebody else took meanwhile, which is what removing a file of one fixed name would do.
 * A prepared folder that waits is named after its age, so that the waiting know their order.
 */

/** A claim on a lock: the folder that becomes the lock when it is taken. */
export interface Claim {
  readonly lock: string;
  readonly mark: string;
  readonly prepared: string;
}

/** Writes nothing yet. Claims sort by age, as good as the clocks are. */
export function newClaim(lock: string): Claim {
  const mark = processMark();
  const age = Date.now().toString().padStart(15, '0');
  return { lock, mark, prepared: join(dirname(lock), `${basename(lock)}.wait-${age}-${mark}`) };
}

/** Makes the claim visible to the others that wait. Harmless when it is there. */
export function announce(claim: Claim): void {
  makeFolder(claim.prepared, dirname(claim.lock));
}

/** One try, all or nothing: whether the lock is ours now. */
export function tryToTake(claim: Claim, owner: string | null): boolean {
  announce(claim);
  const since = new Date().toISOString();
  writeFileSync(join(claim.prepared, claim.mark), JSON.stringify({ owner, since }), { mode: 0o600 });
  try {
    renameSync(claim.prepared, claim.lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

/** Takes a claim back that did not become the lock. */
export function withdraw(claim: Claim): void {
  rmSync(claim.prepared, { recursive: true, force: true });
}

/** Frees the lock if `mark` holds it; says whether it did. */
export function free(lock: string, mark: string): boolean {
  try {
    unlinkSync(join(lock, mark));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
  removeIfEmpty(lock);
  return true;
}

/** The name of the holder's file; null: the lock is free. */
export function readMark(lock: string): string | null {
  return namesIn(lock)[0] ?? null;
}

export function stateOf(mark: string): ProcessState {
  const holder = parseProcessMark(mark);
  return holder === null ? 'unknown' : processState(holder);
}

/** Null: the lock is free. */
export function readHolder(lock: string): LockHolder | null {
  const mark = readMark(lock);
  if (mark === null) return null;
  return { process: parseProcessMark(mark), state: stateOf(mark), ...readNote(join(lock, mark)), mark };
}

/** Paths of the folders named `<name>.lock` that lie in a folder, by name. */
export function lockFoldersIn(directory: string): readonly string[] {
  return namesIn(directory)
    .filter((name) => name.endsWith('.lock'))
    .sort()
    .map((name) => join(directory, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** How many living claims are older. Removes those of the dead on the way. */
export function olderClaims(claim: Claim): number {
  const prefix = `${basename(claim.lock)}.wait-`;
  const folder = dirname(claim.lock);
  let older = 0;
  for (const name of namesIn(folder)) {
    if (!name.startsWith(prefix) || name === basename(claim.prepared)) continue;
    const maker = parseProcessMark(name.slice(prefix.length + '000000000000000-'.length));
    if (maker === null) continue;
    if (!isProcessAlive(maker)) rmSync(join(folder, name), { recursive: true, force: true });
    else if (name < basename(claim.prepared)) older += 1;
  }
  return older;
}

function makeFolder(folder: string, parent: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'ENOENT')) throw error;
    mkdirSync(parent, { recursive: true });
    makeFolder(folder, parent);
  }
}

/** The lock counts as free with the folder or without it; without it is tidier, and somebody may have taken it already. */
function removeIfEmpty(lock: string): void {
  try {
    rmdirSync(lock);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** What the note says is for people; a holder killed before the disk had it leaves none. */
function readNote(path: string): { owner: string | null; since: Date | null } {
  let note: unknown;
  try {
    note = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !hasCode(error, 'ENOENT', 'EACCES', 'EISDIR')) throw error;
  }
  const { owner, since } = (typeof note === 'object' && note !== null ? note : {}) as Record<string, unknown>;
  const instant = typeof since === 'string' ? new Date(since) : null;
  return {
    owner: typeof owner === 'string' ? owner : null,
    since: instant !== null && !Number.isNaN(instant.getTime()) ? instant : null,
  };
}
