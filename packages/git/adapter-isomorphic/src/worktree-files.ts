import {
  chmodSync,
  closeSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { type IndexStat, indexStatOf, type LeafMode } from '@cleveragents/git-domain';
import { temporaryName } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { PinnedDirectory, readably, splitPath } from './pinned-directory.ts';
import { isDirectory, lstatIfThere } from './steady-file.ts';

/** How old a file is made to look, so that git is sure of it at its first look. */
const SETTLED_SECONDS = 2;

/**
 * Puts and removes files of a worktree of ours, reached without following a link. What no tree holds and stands in the
 * way, an ignored file or a repository of its own, is moved aside, never removed.
 */
export class WorktreeFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Removes a file or a link, if one is there, and the directories that are empty then. Anything else stays. */
  remove(path: string): void {
    const { directory, name } = splitPath(path);
    this.#within(directory, (pinned) => {
      const stat = lstatIfThere(pinned.pathOf(name));
      if (stat !== null && !isDirectory(stat)) loosening(pinned, () => unlinkSync(pinned.pathOf(name)));
    });
    this.removeIfEmpty(directory);
  }

  /** Also the directories above it, as far as they are empty then. The root stays. */
  removeIfEmpty(path: string): void {
    if (path === '') return;
    const { directory, name } = splitPath(path);
    try {
      this.#within(directory, (pinned) => loosening(pinned, () => rmdirSync(pinned.pathOf(name))));
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOTDIR')) return;
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    this.removeIfEmpty(directory);
  }

  /** Whoever opens the path finds the old file or the new one, whole. */
  put(path: string, mode: LeafMode, bytes: Buffer): IndexStat {
    const { directory, name } = splitPath(path);
    const stat = this.#within(
      directory,
      (pinned) => {
        this.#clearTheWay(pinned, name, mode);
        return loosening(pinned, () => place(pinned, name, { mode, bytes }));
      },
      { make: true },
    );
    if (stat === null) throw new Error(`the directory of ${path} is gone`);
    return stat;
  }

  /** A directory stays where a gitlink is to come. */
  #clearTheWay(pinned: PinnedDirectory, name: string, mode: LeafMode): void {
    const address = pinned.pathOf(name);
    const stat = lstatIfThere(address);
    if (stat === null || !isDirectory(stat) || mode === '160000') return;
    if (!removedEmpty(pinned, name)) moveAside(pinned, name);
  }

  #within<Result>(
    directory: string,
    work: (pinned: PinnedDirectory) => Result,
    { make = false }: { make?: boolean } = {},
  ): Result | null {
    let current = PinnedDirectory.open(this.#root);
    try {
      for (const segment of directory === '' ? [] : directory.split('/')) {
        if (current === null) return null;
        if (make) makeDirectory(current, segment);
        const child: PinnedDirectory | null = current.child(segment);
        current.close();
        current = child;
      }
      return current === null ? null : work(current);
    } catch (error) {
      throw readably(error);
    } finally {
      current?.close();
    }
  }
}

function makeDirectory(pinned: PinnedDirectory, name: string): void {
  const stat = lstatIfThere(pinned.pathOf(name));
  if (stat !== null && isDirectory(stat)) return;
  if (stat !== null) moveAside(pinned, name);
  loosening(pinned, () => mkdirSync(pinned.pathOf(name)));
}

function removedEmpty(pinned: PinnedDirectory, name: string): boolean {
  const inside = pinned.child(name);
  try {
    for (const below of inside?.names() ?? []) {
      const stat = inside && lstatIfThere(inside.pathOf(below));
      if (!inside || !stat || !isDirectory(stat) || !removedEmpty(inside, below)) return false;
    }
  } finally {
    inside?.close();
  }
  loosening(pinned, () => rmdirSync(pinned.pathOf(name)));
  return true;
}

function moveAside(pinned: PinnedDirectory, name: string): void {
  for (let attempt = 1; ; attempt++) {
    const other = pinned.pathOf(`${name}~kept${attempt === 1 ? '' : attempt}`);
    if (lstatIfThere(other) !== null) continue;
    loosening(pinned, () => renameSync(pinned.pathOf(name), other));
    return;
  }
}

function place(
  pinned: PinnedDirectory,
  name: string,
  { mode, bytes }: { mode: LeafMode; bytes: Buffer },
): IndexStat {
  const address = pinned.pathOf(name);
  if (mode === '160000') {
    if (lstatIfThere(address) === null) mkdirSync(address);
    return indexStatOf(lstatSync(address, { bigint: true }));
  }
  const temporary = pinned.pathOf(temporaryName());
  try {
    if (mode === '120000') symlinkSync(bytes, temporary);
    else writeSettled(temporary, bytes, mode === '100755' ? 0o777 : 0o666);
    renameSync(temporary, address);
  } catch (error) {
    if (lstatIfThere(temporary) !== null) unlinkSync(temporary);
    throw error;
  }
  return indexStatOf(lstatSync(address, { bigint: true }));
}

function writeSettled(path: string, bytes: Buffer, mode: number): void {
  const handle = openSync(path, 'wx', mode);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
    const seconds = Math.floor(Date.now() / 1000) - SETTLED_SECONDS;
    futimesSync(handle, seconds, seconds);
  } finally {
    closeSync(handle);
  }
}

/** An agent may have made a directory read-only. */
function loosening<Result>(pinned: PinnedDirectory, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!hasCode(error, 'EACCES')) throw error;
    chmodSync(pinned.pathOf('.'), (lstatSync(pinned.pathOf('.')).mode & 0o7777) | 0o700);
    return work();
  }
}
