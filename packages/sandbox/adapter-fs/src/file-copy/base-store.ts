import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';

/** From this size on a file is worth an inode of its own where the file system shares blocks. */
export const CLONE_BYTES = 64 * 1024;
const PACK = 'base.pack';
const CLONES = 'clones';
/** Instead of a place in the pack. */
const IN_CLONE = -1;

/** Where the bytes of a file lie: a place in the pack, or -1 for a clone named by its hash. */
export type Place = number;

/**
 * The bytes that a sandbox began with, once each: one pack that is only ever appended to, because making a file costs more
 * than writing one; large files as clones where the file system shares blocks.
 */
export class BaseStore {
  readonly #folder: string;
  readonly #places: Map<string, { readonly place: Place; readonly size: number }>;

  constructor(folder: string, places: Iterable<readonly [string, Place, number]> = []) {
    this.#folder = folder;
    this.#places = new Map([...places].map(([sha256, place, size]) => [sha256, { place, size }]));
  }

  placeOf(sha256: string): Place | null {
    return this.#places.get(sha256)?.place ?? null;
  }

  /** @throws Error when the bytes are not held: the manifest and the store do not belong together. */
  read(sha256: string): Buffer {
    const held = this.#places.get(sha256);
    if (held === undefined) throw new Error(`the base store does not hold ${sha256}`);
    if (held.place === IN_CLONE) return readFileSync(join(this.#folder, CLONES, sha256));
    const bytes = Buffer.alloc(held.size);
    const descriptor = openSync(join(this.#folder, PACK), 'r');
    try {
      let read = 0;
      for (let count = -1; read < held.size && count !== 0; read += count)
        count = readSync(descriptor, bytes, read, held.size - read, held.place + read);
      if (read < held.size) throw new Error(`the base store was cut off before ${sha256}`);
    } finally {
      closeSync(descriptor);
    }
    return bytes;
  }

  /** Copies all that is held into another folder, sharing blocks where the file system can. */
  async copyTo(folder: string): Promise<void> {
    await copyFile(join(this.#folder, PACK), join(folder, PACK), constants.COPYFILE_FICLONE);
    const clones = [...this.#places].filter(([, { place }]) => place === IN_CLONE);
    if (clones.length > 0) mkdirSync(join(folder, CLONES), { recursive: true, mode: 0o700 });
    for (const [sha256] of clones)
      await copyFile(
        join(this.#folder, CLONES, sha256),
        join(folder, CLONES, sha256),
        constants.COPYFILE_FICLONE,
      );
  }

  /** Opens the store for more. The caller closes. */
  append(): BaseWriter {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return new BaseWriter(this.#folder, (sha256, place, size) => this.#places.set(sha256, { place, size }));
  }
}

const BUFFER_BYTES = 1 << 20;

/** Appends files to a base store, in pieces: `begin`, `take`..., then `keep`, or `begin` again to forget the pieces. */
export class BaseWriter {
  readonly #folder: string;
  readonly #descriptor: number;
  readonly #kept: (sha256: string, place: Place, size: number) => void;
  readonly #seen = new Map<string, Place>();
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  /** How much of the pack is on the disk. */
  #written: number;
  #begun: number;
  #canClone = process.platform === 'linux';

  constructor(folder: string, kept: (sha256: string, place: Place, size: number) => void) {
    this.#folder = folder;
    this.#kept = kept;
    this.#descriptor = openSync(join(folder, PACK), constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#written = fstatSync(this.#descriptor).size;
    this.#begun = this.#written;
  }

  begin(): void {
    // what was flushed already is overwritten by what comes
    this.#used = Math.max(0, this.#begun - this.#written);
    this.#written = Math.min(this.#written, this.#begun);
  }

  take(piece: Uint8Array): void {
    if (this.#used + piece.length > this.#buffer.length) this.#flush();
    if (piece.length > this.#buffer.length) this.#write(piece);
    else
      this.#used += Buffer.from(piece.buffer, piece.byteOffset, piece.length).copy(this.#buffer, this.#used);
  }

  /** The pieces since `begin` are the file of this hash. */
  keep(sha256: string): Place {
    const before = this.#seen.get(sha256);
    if (before === undefined)
      return this.#note(sha256, this.#begun, this.#written + this.#used - this.#begun);
    this.begin();
    return before;
  }

  /** Keeps a large file without its bytes being written again; null: take its bytes. */
  clone(sha256: string, descriptor: number, size: number): Place | null {
    if (!this.#canClone || size < CLONE_BYTES) return null;
    const target = join(this.#folder, CLONES, sha256);
    try {
      mkdirSync(join(this.#folder, CLONES), { recursive: true, mode: 0o700 });
      rmSync(target, { force: true });
      copyFileSync(`/proc/self/fd/${descriptor}`, target, constants.COPYFILE_FICLONE_FORCE);
    } catch (error) {
      if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EIO', 'EACCES')) throw error;
      this.#canClone = false;
      return null;
    }
    return this.#note(sha256, IN_CLONE, size);
  }

  /** All that was kept is in the pack. */
  finish({ durable }: { readonly durable: boolean }): void {
    this.#flush();
    if (durable) fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #note(sha256: string, place: Place, size: number): Place {
    this.#seen.set(sha256, place);
    this.#kept(sha256, place, size);
    this.#begun = this.#written + this.#used;
    return place;
  }

  #flush(): void {
    const used = this.#used;
    this.#used = 0;
    this.#write(this.#buffer.subarray(0, used));
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#written + done);
    this.#written += bytes.length;
  }
}
