import type { Dir, Dirent } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { VisitResult, Walk, WalkEntry, WalkOptions } from '@cleveragents/shared-kernel';
import { isGitName } from '@cleveragents/shared-kernel';
import type { SystemCalls } from './rooted-calls.ts';
import { EntryReader, RootedWalkEntry } from './rooted-walk-entry.ts';
import { Lending, WalkedDirectory } from './rooted-lending.ts';
import type { Pin, Pinning } from './rooted-pinning.ts';
import { entryTypeOf } from './rooted-reading.ts';

type EntryType = WalkEntry['type'];

/** Either an entry to show, or, later in the order, what lies in it. */
interface Item {
  readonly key: string;
  readonly name: string;
  readonly type: EntryType | 'contents';
  /** Whether the filter left it out; what lies in a directory goes with it. */
  leftOut?: boolean;
  /** The directory itself, where this is what lies in it. */
  readonly of?: Item;
}

/** A directory that is being walked. */
interface Frame {
  readonly directory: WalkedDirectory;
  /** What the paths of its entries begin with. */
  readonly prefix: string;
  readonly items: readonly Item[];
  next: number;
}

const ENTRIES_PER_TURN = 200;
/** What is done with each entry may take long. */
const MS_PER_TURN = 20;
/** A directory of this size on disk holds too few names to matter; reading them one by one takes twice as long. */
const SMALL_DIRECTORY_BYTES = 1024 * 1024;

export class RootedWalk implements Walk {
  truncated = false;
  unreadable = 0;
  readonly #start: () => Pin;
  readonly #options: WalkOptions;
  readonly #pinning: Pinning;
  readonly #calls: SystemCalls;
  readonly #lending: Lending;
  readonly #reader: EntryReader;
  #entriesLeft: number;
  #untilPause = ENTRIES_PER_TURN;
  #pauseAt = performance.now() + MS_PER_TURN;

  constructor(start: () => Pin, options: WalkOptions, pinning: Pinning, calls: SystemCalls) {
    this.#start = start;
    this.#options = options;
    this.#pinning = pinning;
    this.#calls = calls;
    this.#lending = new Lending(pinning);
    this.#reader = new EntryReader(pinning, calls);
    this.#entriesLeft = options.maxEntries;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WalkEntry, void, undefined> {
    this.#options.signal?.throwIfAborted();
    for (const entry of this.#entries()) {
      if (entry !== undefined) yield entry;
      if (this.#mustPause()) await this.#pause();
    }
  }

  async each(visit: (entry: WalkEntry) => VisitResult | Promise<VisitResult>): Promise<void> {
    this.#options.signal?.throwIfAborted();
    for (const entry of this.#entries()) {
      const visited = entry && visit(entry);
      if (visited === false || (visited !== undefined && (await visited) === false)) return;
      if (this.#mustPause()) await this.#pause();
    }
  }

  #mustPause(): boolean {
    this.#untilPause--;
    return this.#untilPause <= 0 || performance.now() > this.#pauseAt;
  }

  /** Other work of this process gets its turn. */
  async #pause(): Promise<void> {
    this.#untilPause = ENTRIES_PER_TURN;
    await setImmediate();
    this.#pauseAt = performance.now() + MS_PER_TURN;
    this.#options.signal?.throwIfAborted();
  }

  /**
   * One loop over a stack: a generator in a generator costs each entry as much as it lies deep. `undefined` for an entry that
   * is left out, so that others get their turn meanwhile.
   */
  *#entries(): Generator<WalkEntry | undefined, void, undefined> {
    const frames: Frame[] = [];
    try {
      frames.push(this.#frameOf(this.#start(), true));
      for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
        const item = frame.items[frame.next++];
        if (item === undefined) frames.pop()?.directory.leave();
        else if (this.#isLeftOut(item, frame)) yield undefined;
        else if (item.type === 'contents') this.#descend(item.name, frame.directory.pin, frames);
        else if (this.#entriesLeft-- > 0) yield this.#entryOf(item.name, item.type, frame);
        else {
          this.truncated = true;
          return;
        }
      }
    } finally {
      for (const { directory } of frames) directory.leave();
    }
  }

  #entryOf(name: string, type: EntryType, { directory, prefix }: Frame): WalkEntry {
    const isSized = type === 'file' && this.#options.sizes === true;
    const size = isSized ? this.#reader.sizeOf(name, directory.pin) : 0;
    return new RootedWalkEntry({ name, type, size, path: prefix + name, directory }, this.#reader);
  }

  #isLeftOut(item: Item, { prefix }: Frame): boolean {
    if (item.type === 'contents') return item.of?.leftOut === true;
    item.leftOut = this.#options.filter?.leavesOut(prefix + item.name, item.type) === true;
    return item.leftOut;
  }

  #descend(name: string, directory: Pin, frames: Frame[]): void {
    if (frames.length >= this.#options.maxDepth) {
      this.truncated = true;
      return;
    }
    let child: Pin | undefined;
    try {
      child = this.#pinning.reachEntry(name, directory);
      if (child.stats.isDirectory() && child.path === joined(directory, name)) {
        frames.push(this.#frameOf(child, false));
        return;
      }
    } catch {
      // It went away, or may not be read: a walk shows what it can.
      this.unreadable++;
    }
    child?.release();
  }

  /** Holds the directory from now on, unless it cannot be read. */
  #frameOf(pin: Pin, isStart: boolean): Frame {
    try {
      const items = this.#itemsOf(pin, isStart);
      const prefix = pin.path === '' ? '' : `${pin.path}/`;
      return { directory: new WalkedDirectory(pin, this.#lending), prefix, items, next: 0 };
    } catch (error) {
      pin.release();
      throw error;
    }
  }

  #itemsOf(directory: Pin, isStart: boolean): Item[] {
    const entries = this.#readNames(directory);
    if (!isStart && entries.some(({ name }) => name === '.git')) return [];
    const { filter } = this.#options;
    filter?.enter(directory.path, (name, maxBytes) => this.#reader.read(name, directory, maxBytes, true));
    const items: Item[] = [];
    for (const entry of entries) {
      const type = this.#typeOf(entry, directory);
      const item: Item = { key: entry.name, name: entry.name, type };
      items.push(item);
      if (type === 'directory' && this.#options.recursive && !isGitName(entry.name))
        items.push({ key: `${entry.name}/`, name: entry.name, type: 'contents', of: item });
    }
    return items.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** No more than are wanted, so that a directory of millions costs what its first entries cost. */
  #readNames(directory: Pin): Dirent[] {
    const entries =
      directory.stats.size <= SMALL_DIRECTORY_BYTES
        ? this.#calls.readdir(directory.address)
        : this.#firstNames(directory);
    // One more than are wanted shows that there are more.
    if (entries.length <= this.#entriesLeft + 1) return entries;
    this.truncated = true;
    return entries.slice(0, this.#entriesLeft + 1);
  }

  #firstNames({ address }: Pin): Dirent[] {
    const entries: Dirent[] = [];
    const handle: Dir = this.#calls.opendir(address, { bufferSize: 512 });
    try {
      while (entries.length <= this.#entriesLeft + 1) {
        const entry = handle.readSync();
        if (entry === null) break;
        entries.push(entry);
      }
      return entries;
    } finally {
      handle.closeSync();
    }
  }

  #typeOf(entry: Dirent, { address }: Pin): EntryType {
    if (entry.isFile()) return 'file';
    if (entry.isDirectory()) return 'directory';
    if (entry.isSymbolicLink()) return 'link';
    if (entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice())
      return 'other';
    try {
      // Some file systems leave the type out of their directories.
      return entryTypeOf(this.#calls.lstat(`${address}/${entry.name}`));
    } catch {
      return 'other';
    }
  }
}

function joined({ path }: Pin, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
