import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdir, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { GitError } from '@cleveragents/git-ports';
import {
  isProcessAlive,
  parseProcessMark,
  type ProcessIdentity,
  processMark,
  syncDirectory,
  temporaryName,
} from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { Deadline } from './deadline.ts';
import { fileSystemError, readTextIfThere } from './file-access.ts';

export interface LockOptions {
  /** Longest to wait for a lock that somebody else holds. Default 0: do not wait. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Git's own lock on a file: while `<file>.lock` lies there, every git leaves `<file>` alone. Ours holds a line that says
 * which process made it, so that a lock of a dead process of ours can be told from one of git's.
 */
export interface LockFile {
  /** The lock's path: `<file>.lock`. */
  readonly path: string;
  /** The file it locks. */
  readonly file: string;
  /** Prepares new content, durable on return; `file` stays as it is until `commit`. The last call wins. */
  write(bytes: Uint8Array): Promise<void>;
  /** Puts the prepared content in place, if any was, and ends the lock. */
  commit(): Promise<void>;
  /** Ends the lock without a change. Fine after `commit` or another `release`. */
  release(): Promise<void>;
}

const SIGNATURE = 'cleveragents ';
const LONGEST_PAUSE_MS = 50;

/**
 * @throws GitError `GIT_LOCKED` when somebody else holds the lock until the timeout (`data.path`, `data.owner`: the number
 *   of a process of ours, or null); `GIT_ABORTED`; `GIT_FILE_SYSTEM`.
 */
export async function acquireLockFile(
  file: string,
  { timeoutMs = 0, signal }: LockOptions = {},
): Promise<LockFile> {
  const path = `${file}.lock`;
  const deadline = new Deadline({ timeoutMs, signal });
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    new Deadline({ signal }).check();
    const claim = await tryToLock(path);
    if (claim !== null) return new HeldLockFile(file, claim);
    if (deadline.remainingMs <= 0) throw await lockedError(path);
    // spread out, so that several waiting processes do not keep meeting
    await delay(Math.min(deadline.remainingMs, pauseMs * (0.5 + Math.random())));
  }
}

async function lockedError(path: string): Promise<GitError> {
  const owner = await readLockOwner(path);
  const holder = owner === null ? 'another git process' : `process ${owner.pid.toString()} of cleveragents`;
  return new GitError('GIT_LOCKED', `${path} is held by ${holder}`, {
    hint:
      owner === null || isProcessAlive(owner)
        ? 'Wait for it to end. If no git process runs any more, remove the file.'
        : 'That process is dead: recovery removes the file.',
    data: { path, owner: owner?.pid ?? null },
  });
}

/** What the lock holds, which no other lock ever did; null while somebody has it. */
async function tryToLock(path: string): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return createLock(path);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) {
        if (removeUnreleased(path)) continue;
        return null;
      }
      // git removes empty folders of refs at any time, also between these two calls
      if (!hasCode(error, 'ENOENT') || attempt > 10) throw fileSystemError(`cannot lock ${path}`, error);
    }
    await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw fileSystemError(`cannot lock ${path}`, error);
    });
  }
}

/**
 * A lock never exists without its maker's name in it, however suddenly the process ends: it is filled under another
 * name first, and only then linked.
 */
function createLock(path: string): string {
  const claim = `${SIGNATURE}${processMark()}\n`;
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, claim, { flag: 'wx' });
    linkSync(temporary, path);
  } catch (error) {
    // some file systems know no hard links
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK')) throw error;
    writeFileSync(path, claim, { flag: 'wx' });
  } finally {
    removeIfPossible(temporary);
  }
  return claim;
}

/** What lies in locks of this process that the system did not let us remove: nobody holds them. */
const unreleased = new Set<string>();

function removeUnreleased(path: string): boolean {
  const claim = readTextIfThere(path);
  if (claim === null || !unreleased.has(claim)) return false;
  rmSync(path, { force: true });
  unreleased.delete(claim);
  return true;
}

/** A failure changes nothing about the lock; the file's name tells a later sweep what it is. */
function removeIfPossible(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch (error) {
    if (fileSystemError('', error) === error) throw error;
  }
}

/** A name that git overlooks in folders of refs, and that sweeping after a crash knows as ours. */
function temporaryBeside(path: string): string {
  return join(dirname(path), temporaryName());
}

class HeldLockFile implements LockFile {
  readonly file: string;
  readonly path: string;
  readonly #claim: string;
  #pending: string | null = null;
  #held = true;

  constructor(file: string, claim: string) {
    this.file = file;
    this.path = `${file}.lock`;
    this.#claim = claim;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#doing('write', () => {
      const temporary = this.#pending ?? temporaryBeside(this.file);
      const descriptor = openSync(temporary, this.#pending === null ? 'wx' : 'w');
      this.#pending = temporary;
      try {
        for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
        const former = lstatSync(this.file, { throwIfNoEntry: false });
        if (former?.isFile()) fchmodSync(descriptor, former.mode & 0o777);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    });
  }

  async commit(): Promise<void> {
    await this.#doing('replace', async () => {
      if (!this.#held || !this.#isOurs()) throw this.#lost();
      if (this.#pending === null) return;
      await rename(this.#pending, this.file);
      this.#pending = null;
      await syncDirectory(dirname(this.file));
    });
    await this.release();
  }

  async release(): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    const pending = this.#pending;
    this.#pending = null;
    if (pending !== null) removeIfPossible(pending);
    await this.#doing('unlock', async () => {
      try {
        if (this.#isOurs()) await removeIfThere(this.path);
      } catch (error) {
        unreleased.add(this.#claim);
        throw error;
      }
    });
  }

  /** Somebody may have removed our lock by hand, and another process taken its place. */
  #isOurs(): boolean {
    return readTextIfThere(this.path) === this.#claim;
  }

  #lost(): GitError {
    return new GitError('GIT_LOCKED', `${this.path} was taken away while it was held`, {
      hint: 'Somebody removed the lock by hand. Try again.',
      data: { path: this.path, owner: null },
    });
  }

  async #doing(what: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw fileSystemError(`cannot ${what} ${this.file}`, error);
    }
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Which process of ours made a lock; null when none did, or there is no lock. */
export async function readLockOwner(lockPath: string): Promise<ProcessIdentity | null> {
  try {
    const content = await readFile(lockPath, 'latin1');
    return content.startsWith(SIGNATURE) ? parseProcessMark(content.slice(SIGNATURE.length).trimEnd()) : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw fileSystemError(`cannot read ${lockPath}`, error);
  }
}

/**
 * Removes the lock at `lockPath` if a process of ours that is dead now left it. False when there is none, or it is
 * somebody else's, or its process lives.
 */
export async function removeDeadLock(lockPath: string): Promise<boolean> {
  if (!(await isDead(lockPath))) return false;
  const aside = temporaryBeside(lockPath);
  try {
    await rename(lockPath, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw fileSystemError(`cannot remove ${lockPath}`, error);
  }
  // another process may have removed the dead lock and taken a new one since we looked
  const dead = await isDead(aside);
  if (!dead) linkSync(aside, lockPath);
  await removeIfThere(aside);
  return dead;
}

async function isDead(lockPath: string): Promise<boolean> {
  const owner = await readLockOwner(lockPath);
  return owner !== null && !isProcessAlive(owner);
}
