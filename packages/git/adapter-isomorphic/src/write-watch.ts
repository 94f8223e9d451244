import { type FSWatcher, type Stats, watch } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { WorktreeWatch } from '@cleveragents/git-ports';
import { isSameMoment, lstatIfThere } from './steady-file.ts';

/** As `fs.watch` is: calls `listener` when something in the directory at `path` was written, made, moved or removed. */
export type WatchDirectory = (path: string, listener: () => void) => Pick<FSWatcher, 'on' | 'close'>;

/** More would take too much of what the system lets all of a user's programs watch. */
const MOST_DIRECTORIES = 16_384;

const watchDirectory: WatchDirectory = (path, listener) => watch(path, { persistent: false }, listener);

/**
 * Watches directories from the moment before they are read, so that a second scan is needed only when something was
 * written. Only inotify tells of every write (of `write(2)`, that is: what a program puts into memory that it mapped from
 * a file goes unheard), and its queue is filled before the writer's call returns; elsewhere nothing is ever quiet.
 */
export class WriteWatch implements WorktreeWatch {
  readonly #watchDirectory: WatchDirectory;
  readonly #watchers: Pick<FSWatcher, 'on' | 'close'>[] = [];
  readonly #files = new Map<string, Stats | null>();
  #isQuiet = process.platform === 'linux';

  constructor(watchWith: WatchDirectory = watchDirectory) {
    this.#watchDirectory = watchWith;
  }

  /** A single file outside the directories, before it is read. */
  addFile(path: string): void {
    this.#files.set(path, lstatIfThere(path));
  }

  /** Before the directory or anything in it is looked at. */
  addDirectory(path: string): void {
    if (!this.#isQuiet) return;
    if (this.#watchers.length === MOST_DIRECTORIES) return this.#disturb();
    try {
      const watcher = this.#watchDirectory(path, () => this.#disturb());
      this.#watchers.push(watcher);
      watcher.on('error', () => this.#disturb());
    } catch {
      this.#disturb(); // out of watches or of handles, or the directory is gone
    }
  }

  async isQuiet(): Promise<boolean> {
    // the first turn may be in the middle of what the loop heard before; the second has asked anew
    await setImmediate();
    await setImmediate();
    return this.#isQuiet && [...this.#files].every(([path, before]) => isAsBefore(path, before));
  }

  close(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  #disturb(): void {
    this.#isQuiet = false;
    this.close();
  }
}

function isAsBefore(path: string, before: Stats | null): boolean {
  const now = lstatIfThere(path);
  return now === null || before === null ? now === before : isSameMoment(before, now);
}
