import type { LentFile, WalkEntry } from '@cleveragents/shared-kernel';
import type { SystemCalls } from './rooted-calls.ts';
import type { WalkedDirectory } from './rooted-lending.ts';
import type { Pin, Pinning } from './rooted-pinning.ts';

const READ_BUFFER_BYTES = 64 * 1024;

interface Place {
  readonly name: string;
  readonly path: string;
  readonly type: WalkEntry['type'];
  readonly size: number;
  readonly directory: WalkedDirectory;
}

/** A class, because a walk makes many: functions of its own cost each of them more than its path does. */
export class RootedWalkEntry implements WalkEntry {
  readonly path: string;
  readonly type: WalkEntry['type'];
  readonly size: number;
  readonly #name: string;
  readonly #directory: WalkedDirectory;
  readonly #reader: EntryReader;

  constructor({ name, path, type, size, directory }: Place, reader: EntryReader) {
    this.path = path;
    this.type = type;
    this.size = size;
    this.#name = name;
    this.#directory = directory;
    this.#reader = reader;
  }

  read(maxBytes: number, { keep = false }: { readonly keep?: boolean } = {}): Uint8Array | undefined {
    return this.type === 'file'
      ? this.#reader.read(this.#name, this.#directory.pin, maxBytes, keep)
      : undefined;
  }

  lend(): LentFile | undefined {
    return this.type === 'file' ? this.#directory.lend(this.#name) : undefined;
  }
}

/** Reads files of pinned directories, one after the other, into one buffer. */
export class EntryReader {
  readonly #pinning: Pinning;
  readonly #calls: SystemCalls;
  #buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);

  constructor(pinning: Pinning, calls: SystemCalls) {
    this.#pinning = pinning;
    this.#calls = calls;
  }

  sizeOf(name: string, { address }: Pin): number {
    try {
      return this.#calls.lstat(`${address}/${name}`).size;
    } catch {
      // Gone since the directory was read.
      return 0;
    }
  }

  read(name: string, directory: Pin, maxBytes: number, keep: boolean): Uint8Array | undefined {
    let descriptor: number;
    try {
      descriptor = this.#pinning.openChild(name, directory);
    } catch {
      // Gone, no file any more, or not ours to read: there are no bytes to give.
      return undefined;
    }
    try {
      const stats = this.#calls.fstat(descriptor);
      if (!stats.isFile()) return undefined;
      const length = this.#fill(descriptor, maxBytes, stats.size);
      return keep
        ? Uint8Array.prototype.slice.call(this.#buffer, 0, length)
        : this.#buffer.subarray(0, length);
    } catch {
      return undefined;
    } finally {
      this.#calls.close(descriptor);
    }
  }

  #fill(descriptor: number, maxBytes: number, expected: number): number {
    this.#makeRoom(0, Math.min(expected, maxBytes));
    for (let length = 0; ;) {
      const room = Math.min(this.#buffer.length, maxBytes) - length;
      const count = room === 0 ? 0 : this.#calls.read(descriptor, this.#buffer, length, room);
      length += count;
      if (length >= maxBytes) return length;
      // As much as there was when it was opened; only what says that it is empty must be asked until it ends.
      if (count > 0 ? length === expected : room > 0) return length;
      this.#makeRoom(length, length + 1);
    }
  }

  #makeRoom(length: number, needed: number): void {
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, needed));
    this.#buffer.copy(larger, 0, 0, length);
    this.#buffer = larger;
  }
}
