import { lstatSync, realpathSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasCode, ValidationError } from '@cleveragents/shared-kernel';
import { processMark } from './process-identity.ts';
import { loosenByName, pinDirectory, type PinnedDirectory } from './pinned-directory.ts';

export interface RemoveTree {
  /** What is removed must lie inside this folder, also with every link on the way followed. */
  readonly within: string;
  /** Ends the work with the signal's reason, in the middle of the tree. */
  readonly signal?: AbortSignal | undefined;
}

export interface Removal {
  /** What could not be removed, and the system's reason; its parents stay too and are not named. Empty: all is gone. */
  readonly kept: readonly { readonly path: string; readonly code: string }[];
}

/**
 * Removes a file, a link, or a folder with all it holds. A missing one is fine. Links are removed, never followed, also
 * when somebody swaps a folder for a link meanwhile (on Linux). Read-only folders inside are made writable. Any depth
 * and any name will do.
 *
 * @throws ValidationError when `path` does not lie inside `within`; nothing was removed.
 */
export async function removeTree(path: string, { within, signal }: RemoveTree): Promise<Removal> {
  const target = resolve(path);
  const parent = parentInside(target, within);
  if (parent === null) return { kept: [] };
  signal?.throwIfAborted();
  const walk = new RemovalWalk(parent);
  try {
    walk.start(basename(target), target);
    while (walk.step()) {
      signal?.throwIfAborted();
      await nextTurn();
    }
  } finally {
    walk.close();
  }
  return { kept: walk.kept };
}

/** The real folder that holds the target; null when there is none, and so no target. */
function parentInside(target: string, within: string): string | null {
  const outside = new ValidationError(`Refused to remove ${target}: it is not inside ${within}`);
  if (!isInside(target, resolve(within))) throw outside;
  try {
    const parent = realpathSync(dirname(target));
    const root = realpathSync(within);
    if (parent !== root && !isInside(parent, root)) throw outside;
    return parent;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep) && path !== folder;
}

interface Pending {
  readonly name: Buffer;
  readonly isDirectory: boolean;
  /** Where it lay when the walk found it. */
  readonly shown: string;
}

interface Level {
  readonly pinned: PinnedDirectory;
  readonly origin: Pending;
  pending: Pending[];
  loosened: boolean;
  scans: number;
  holdsKept: boolean;
}

const ENTRIES_PER_STEP = 200;
const DEEPEST = 64;
const SCANS = 3;

class RemovalWalk {
  readonly kept: { path: string; code: string }[] = [];
  readonly #parent: Buffer;
  readonly #levels: Level[] = [];

  constructor(parent: string) {
    this.#parent = Buffer.from(parent);
  }

  start(name: string, shown: string): void {
    const found = lstatSync(shown, { throwIfNoEntry: false });
    if (found === undefined) return;
    this.#remove({ name: Buffer.from(name), isDirectory: found.isDirectory(), shown });
  }

  /** Removes some; false: all is done. */
  step(): boolean {
    for (let count = 0; count < ENTRIES_PER_STEP; count += 1) {
      const level = this.#levels.at(-1);
      if (level === undefined) return false;
      const next = level.pending.pop();
      if (next === undefined) this.#leave(level);
      else this.#remove(next);
    }
    return true;
  }

  close(): void {
    for (const { pinned } of this.#levels.splice(0)) pinned.close();
  }

  #remove(entry: Pending): void {
    this.#attempt(entry, () => {
      if (!entry.isDirectory) this.#unlink(entry);
      else if (this.#levels.length >= DEEPEST) this.#lift(entry);
      else this.#enter(entry);
    });
  }

  #unlink(entry: Pending): void {
    try {
      unlinkSync(this.#address(entry.name));
    } catch (error) {
      if (!hasCode(error, 'EISDIR')) throw error;
      this.#enter(entry); // a folder took the file's place meanwhile
    }
  }

  #enter(origin: Pending): void {
    const pinned = this.#pin(origin);
    if (pinned === null) return;
    const level: Level = { pinned, origin, pending: [], loosened: false, scans: 0, holdsKept: false };
    this.#levels.push(level);
    this.#scan(level);
  }

  #pin(origin: Pending): PinnedDirectory | null {
    const address = this.#address(origin.name);
    try {
      return pinDirectory(address);
    } catch (error) {
      if (!hasCode(error, 'ENOTDIR', 'ELOOP')) throw error;
      unlinkSync(address); // a file or a link took the folder's place meanwhile
      return null;
    }
  }

  /** Too deep to keep every folder on the way open: goes on with it from the top. */
  #lift(entry: Pending): void {
    const [top] = this.#levels;
    if (top === undefined) return;
    const name = Buffer.from(processMark());
    const from = this.#address(entry.name);
    try {
      renameSync(from, top.pinned.address(name));
    } catch (error) {
      // A folder that moves must itself be writable, for its `..` changes.
      if (!hasCode(error, 'EACCES')) throw error;
      loosenByName(from);
      renameSync(from, top.pinned.address(name));
    }
    top.pending.push({ ...entry, name });
  }

  #scan(level: Level): void {
    level.scans += 1;
    const entries = level.pinned.entries();
    level.pending = entries.map(({ name, isDirectory }) => ({
      name,
      isDirectory,
      shown: `${level.origin.shown}/${name.toString()}`,
    }));
  }

  #leave(level: Level): void {
    if (level.holdsKept) {
      this.#pop(level);
      this.#markParent();
      return;
    }
    const removed = this.#removeEmptied(level);
    if (removed === 'filled again') this.#scan(level);
  }

  #removeEmptied(level: Level): 'done' | 'filled again' {
    const parent = this.#levels.at(-2);
    const address = parent?.pinned.address(level.origin.name) ?? this.#atParent(level.origin.name);
    const removal = (): void => {
      rmdirSync(address);
    };
    try {
      withLoosened(parent, removal);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST') && level.scans < SCANS) return 'filled again';
      this.#pop(level);
      this.#keep(level.origin, error);
      return 'done';
    }
    this.#pop(level);
    return 'done';
  }

  #pop(level: Level): void {
    this.#levels.pop();
    level.pinned.close();
  }

  /** Runs a removal inside the present level, which is made writable if that is what it lacks. */
  #attempt(entry: Pending, removal: () => void): void {
    try {
      withLoosened(this.#levels.at(-1), removal);
    } catch (error) {
      this.#keep(entry, error);
    }
  }

  #keep(entry: Pending, error: unknown): void {
    if (hasCode(error, 'ENOENT')) return;
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string') throw error;
    this.kept.push({ path: entry.shown, code });
    this.#markParent();
  }

  #markParent(): void {
    const parent = this.#levels.at(-1);
    if (parent !== undefined) parent.holdsKept = true;
  }

  #address(name: Buffer): Buffer {
    return this.#levels.at(-1)?.pinned.address(name) ?? this.#atParent(name);
  }

  #atParent(name: Buffer): Buffer {
    return Buffer.concat([this.#parent, Buffer.from(sep), name]);
  }
}

function withLoosened(level: Level | undefined, removal: () => void): void {
  try {
    removal();
  } catch (error) {
    if (level === undefined || level.loosened || !hasCode(error, 'EACCES', 'EPERM')) throw error;
    level.loosened = true;
    level.pinned.loosen();
    removal();
  }
}
