import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type IndexStat, indexStatOf, type Leaf, type LeafMode } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { isSameLeaf, readDiskLeaf } from './disk-leaf.ts';
import { type PinnedDirectory, splitPath, withPinned } from './pinned-directory.ts';
import { isDirectory, isSameMoment, lstatIfThere } from './steady-file.ts';

/** One file to exchange. `number` names its files in the staging folder. */
export interface FileStep {
  readonly number: number;
  readonly path: string;
  /** What lies there and is set aside; null: nothing lies there. */
  readonly take: Leaf | null;
  /** What comes in its place; null: nothing. Never a gitlink. */
  readonly put: Leaf | null;
}

export interface ExchangeFolders {
  readonly workTree: string;
  /** On the same file system as the work tree. */
  readonly staging: string;
  readonly trustsFileMode: boolean;
}

/** The system stamps files by a clock that ticks every 10 ms at worst; twice that is safe. */
const CLOCK_SLACK_MS = 20;

/**
 * Exchanges files of a work tree in which others write too. What goes is renamed into the staging folder, where nobody
 * looks for it, and only then read; what comes is linked into place, which overwrites nothing. So whatever somebody puts
 * at a path, at whatever moment, either stays there or comes back.
 */
export class FileExchange {
  readonly #workTree: string;
  readonly #staging: string;
  readonly #trustsFileMode: boolean;
  /** What was set aside, as it was when its content was checked. */
  readonly #checked = new Map<number, { readonly stat: Stats; readonly atMs: number }>();

  constructor({ workTree, staging, trustsFileMode }: ExchangeFolders) {
    this.#workTree = workTree;
    this.#staging = staging;
    this.#trustsFileMode = trustsFileMode;
  }

  /** Writes what will come, with the permissions that a new file gets here. */
  prepare({ number, put }: FileStep, bytes: Buffer): void {
    if (put === null || put.mode === '120000') return;
    const handle = openSync(this.#fileOf('new', number), 'wx', put.mode === '100755' ? 0o777 : 0o666);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
    } finally {
      closeSync(handle);
    }
  }

  /** @throws GitError `GIT_TARGET_CHANGED` when something else lies there; it is back at its place. */
  take({ number, path, take }: FileStep): void {
    if (take === null) return;
    const aside = this.#fileOf('old', number);
    if (!this.#setAside(path, aside)) throw targetChanged([path]);
    const found = readDiskLeaf(aside, this.#modesOf(take));
    if (typeof found === 'object' && isSameLeaf(found.leaf, take))
      this.#checked.set(number, { stat: found.reading.stat, atMs: Date.now() });
    else {
      this.#bringBack(path, aside);
      throw targetChanged([path]);
    }
  }

  /**
   * @param target of a link.
   * @throws GitError `GIT_TARGET_CHANGED` when something came into the way; it stays.
   */
  put({ number, path, put }: FileStep, target: Buffer | null): void {
    if (put === null) return;
    const isPut = this.#at(path, (address) => {
      if (target !== null) symlinkSync(target, address);
      else linkSync(this.#fileOf('new', number), address);
      return true;
    });
    if (isPut !== true) throw targetChanged([path]);
  }

  /** The stat that an index keeps of a file that was put; null when something else lies there by now. */
  settle({ number, path, put }: FileStep): IndexStat | null {
    if (put === null) return null;
    const staged = this.#fileOf('new', number);
    const ino = lstatIfThere(staged)?.ino ?? null;
    unlinkIfThere(staged);
    return this.#at(path, (address) => {
      const stat = lstatSync(address, { bigint: true, throwIfNoEntry: false });
      const isOurs = ino === null ? stat?.isSymbolicLink() : stat?.isFile() && stat.ino === BigInt(ino);
      return stat && isOurs ? indexStatOf(stat) : null;
    });
  }

  /** Paths whose old file was written to after its check, through a handle that was open all the while. */
  findLateWrites(steps: readonly FileStep[]): readonly string[] {
    return steps
      .filter((step) => step.take !== null && !this.#isUntouched(step, step.take))
      .map(({ path }) => path);
  }

  /** By its times where they tell; a write within the same tick of the clock leaves them as they were. */
  #isUntouched({ number }: FileStep, take: Leaf): boolean {
    const old = this.#fileOf('old', number);
    const checked = this.#checked.get(number);
    const stat = lstatIfThere(old);
    if (checked && stat && isSameMoment(checked.stat, stat) && stat.mtimeMs < checked.atMs - CLOCK_SLACK_MS)
      return true;
    const found = readDiskLeaf(old, this.#modesOf(take));
    return typeof found === 'object' && isSameLeaf(found.leaf, take);
  }

  /**
   * Takes away what `put` brought. True: nothing of ours lies there. False: something else is there, and stays.
   * Works from what lies on the disk alone, so that it also works after a crash.
   */
  withdraw({ number, path, take, put }: FileStep): boolean {
    if (put === null) return true;
    const aside = this.#fileOf('undone', number);
    if (lstatIfThere(aside) !== null) return this.#judge(path, aside, put);
    if (take !== null && lstatIfThere(this.#fileOf('old', number)) === null) return true;
    const staged = lstatIfThere(this.#fileOf('new', number));
    const present = this.#at(path, (address) => lstatIfThere(address));
    if (present === null) return true;
    if (staged !== null && staged.ino !== present.ino) return false;
    return !this.#setAside(path, aside) || this.#judge(path, aside, put);
  }

  /** Ours goes; what is somebody else's comes back. */
  #judge(path: string, aside: string, ours: Leaf): boolean {
    const found = readDiskLeaf(aside, this.#modesOf(ours));
    const isOurs = typeof found === 'object' && isSameLeaf(found.leaf, ours);
    if (isOurs) unlinkIfThere(aside);
    else this.#bringBack(path, aside);
    return isOurs;
  }

  /** Puts back what was set aside, if anything was. False: something else lies at its place and stays. */
  giveBack(step: FileStep): boolean {
    const old = this.#fileOf('old', step.number);
    if (step.take === null || lstatIfThere(old) === null || this.#moveTo(step.path, old)) return true;
    this.#discard(step, old);
    return false;
  }

  /** Ends an exchange for good. Gives the path where the old file lies now if it was written to after its check. */
  drop(step: FileStep): string | null {
    unlinkIfThere(this.#fileOf('new', step.number));
    return this.#discard(step, this.#fileOf('old', step.number));
  }

  /** What the repository has as well can go; anything else is laid where its owner will find it. */
  #discard(step: FileStep, old: string): string | null {
    if (step.take === null || lstatIfThere(old) === null) return null;
    if (!this.#isUntouched(step, step.take)) return this.#bringBack(step.path, old);
    unlinkIfThere(old);
    return null;
  }

  #modesOf({ mode }: Leaf): readonly LeafMode[] | null {
    return this.#trustsFileMode ? null : [mode];
  }

  /** False when nothing is there. Whatever is there moves, in one step. */
  #setAside(path: string, aside: string): boolean {
    const moved = this.#at(path, (address) => {
      try {
        renameSync(address, aside);
        return true;
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return false;
        throw error;
      }
    });
    return moved === true;
  }

  /** Puts what was set aside at its path or, when that is taken by now, beside it. Gives where it lies. */
  #bringBack(path: string, aside: string): string {
    for (let attempt = 0; ; attempt++) {
      const candidate = attempt === 0 ? path : `${path}~saved${attempt === 1 ? '' : attempt}`;
      if (this.#moveTo(candidate, aside)) return candidate;
    }
  }

  #moveTo(path: string, aside: string): boolean {
    const moved = this.#at(path, (address) => {
      const stat = lstatIfThere(aside);
      if (stat === null) return true;
      if (isDirectory(stat)) {
        if (lstatIfThere(address) !== null) return false;
        renameSync(aside, address);
        return true;
      }
      return linkWithoutOverwriting(aside, address) && (unlinkIfThere(aside), true);
    });
    if (moved === null) throw new Error(`the directory of ${path} is gone`);
    return moved;
  }

  #fileOf(kind: 'new' | 'old' | 'undone', number: number): string {
    return join(this.#staging, `${kind}-${number}`);
  }

  /** Null when the path's directory is not there. A file in the way is a change like any other. */
  #at<Result>(path: string, work: (address: string) => Result): Result | null {
    const { directory, name } = splitPath(path);
    try {
      return withPinned(this.#workTree, directory, (pinned: PinnedDirectory) => work(pinned.pathOf(name)));
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw targetChanged([path], error);
      throw error;
    }
  }
}

function linkWithoutOverwriting(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

export function targetChanged(paths: readonly string[], cause?: unknown): GitError {
  const some = paths.slice(0, 3).join(', ');
  return new GitError('GIT_TARGET_CHANGED', `${some} changed while it was to be replaced`, {
    hint: 'Somebody works on these files. Nothing was changed: try again.',
    data: { paths },
    cause,
  });
}
