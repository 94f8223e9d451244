import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import type { CheckpointError } from '@cleveragents/checkpoint-domain';
import { applyDelta, type ObjectId } from '@cleveragents/git-domain';
import { encodeContent, type GitObject } from './git-object.ts';
import {
  decodeDistance,
  decodePackedHeader,
  DELTA_OF_ID,
  DELTA_OF_OFFSET,
  encodePackedObject,
  INDEX_IDS_OFFSET,
  INDEX_SIGNATURE,
  type PackedObject,
  TYPE_NAMES,
} from './pack-codec.ts';
import { storeCorrupt } from './store.errors.ts';

const ID_BYTES = 20;
const TRAILER_BYTES = 20;
/** From here on an offset names a place in the table of those that need 64 bits. */
const LARGE_OFFSET = 0x80000000;

/** One pack, kept open: it can be read to the end also when another process replaced it. */
export class PackFile {
  readonly path: string;
  readonly count: number;
  readonly #index: Buffer;
  readonly #file: number;
  /** What the pack takes on disk. */
  readonly bytes: number;
  #ends: Map<number, number> | undefined;

  /**
   * @param path without its ending: `pack/pack-<name>`.
   * @throws the system's `ENOENT` when either file is gone, CheckpointError `SNAPSHOT_STORE_CORRUPT` when one is cut off or not
   *   the other's. What lies in between is looked at when it is read.
   */
  constructor(path: string) {
    this.path = path;
    this.#index = readFileSync(`${path}.idx`);
    this.#file = openSync(`${path}.pack`, 'r');
    this.bytes = fstatSync(this.#file).size;
    if (!isWholeIndex(this.#index) || !this.#isPackOfIndex()) {
      this.close();
      throw storeCorrupt(`pack ${path} is damaged`, { data: { pack: path } });
    }
    this.count = this.#index.readUInt32BE(INDEX_IDS_OFFSET - 4);
  }

  /** The index ends with the checksum that the pack ends with, and its own. */
  #isPackOfIndex(): boolean {
    const trailer = Buffer.alloc(TRAILER_BYTES);
    if (this.bytes < TRAILER_BYTES) return false;
    readSync(this.#file, trailer, 0, TRAILER_BYTES, this.bytes - TRAILER_BYTES);
    return trailer.equals(this.#index.subarray(-2 * TRAILER_BYTES, -TRAILER_BYTES));
  }

  close(): void {
    closeSync(this.#file);
  }

  has(id: ObjectId): boolean {
    return this.#find(id) !== -1;
  }

  /** The same for an id in 20 bytes, for who asks many packs. */
  hasBytes(id: Buffer): boolean {
    return this.#findBytes(id) !== -1;
  }

  /** @throws CheckpointError `SNAPSHOT_STORE_CORRUPT`. */
  read(id: ObjectId): GitObject | null {
    const at = this.#find(id);
    return at === -1 ? null : this.#readAt(this.#offsetAt(at), id);
  }

  addPrefixes(prefixes: Set<number>): void {
    for (let at = 0; at < this.count; at++)
      prefixes.add(prefixAt(this.#index, INDEX_IDS_OFFSET + at * ID_BYTES));
  }

  /** Ready for another pack: whole, also where this one holds a delta. */
  readPacked(id: ObjectId): PackedObject | null {
    const at = this.#find(id);
    if (at === -1) return null;
    const start = this.#offsetAt(at);
    const encoded = this.#encodedAt(start, id);
    if (TYPE_NAMES[decodePackedHeader(encoded).typeNumber] !== undefined) return { id, encoded };
    const { type, bytes } = this.#readAt(start, id);
    return { id, encoded: encodePackedObject(type, bytes.length, encodeContent(type, bytes)) };
  }

  /** Somebody's git may have packed the store; then most of a pack are deltas, in chains. */
  #readAt(offset: number, id: ObjectId): GitObject {
    const deltas: Buffer[] = [];
    for (let start = offset; ;) {
      const encoded = this.#encodedAt(start, id);
      const { typeNumber, size, contentStart } = decodePackedHeader(encoded);
      const type = TYPE_NAMES[typeNumber];
      const base = type === undefined ? this.#baseOf(encoded, { start, typeNumber, contentStart }, id) : null;
      const content = this.#inflated(encoded.subarray(base?.contentStart ?? contentStart), size, id);
      if (type !== undefined) return { type, bytes: this.#withDeltas(content, deltas, id) };
      deltas.push(content);
      start = base?.start ?? 0;
    }
  }

  #withDeltas(content: Buffer, deltas: readonly Buffer[], id: ObjectId): Buffer {
    try {
      const bytes = deltas.reduceRight<Uint8Array>((base, delta) => applyDelta(base, delta), content);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    } catch (cause) {
      throw this.#corrupt(id, cause);
    }
  }

  /** Where the base of a delta lies in this pack, and where the delta's own content begins. */
  #baseOf(
    encoded: Buffer,
    { start, typeNumber, contentStart }: { start: number; typeNumber: number; contentStart: number },
    id: ObjectId,
  ): { readonly start: number; readonly contentStart: number } {
    if (typeNumber === DELTA_OF_OFFSET) {
      const { distance, end } = decodeDistance(encoded, contentStart);
      if (distance > 0 && distance < start) return { start: start - distance, contentStart: end };
    } else if (typeNumber === DELTA_OF_ID) {
      const at = this.#findBytes(encoded.subarray(contentStart, contentStart + ID_BYTES));
      const base = at === -1 ? start : this.#offsetAt(at);
      if (base !== start) return { start: base, contentStart: contentStart + ID_BYTES };
    }
    throw this.#corrupt(id);
  }

  #inflated(deflated: Buffer, size: number, id: ObjectId): Buffer {
    try {
      return inflateSync(deflated, { maxOutputLength: Math.max(size, 1) });
    } catch (cause) {
      throw this.#corrupt(id, cause);
    }
  }

  #corrupt(id: ObjectId, cause?: unknown): CheckpointError {
    return storeCorrupt(`object ${id} is damaged in pack ${this.path}`, {
      cause,
      data: { id, pack: this.path },
    });
  }

  #encodedAt(start: number, id: ObjectId): Buffer {
    const encoded = Buffer.allocUnsafe((this.#endOf(start) ?? start) - start);
    if (encoded.length === 0 || readSync(this.#file, encoded, 0, encoded.length, start) !== encoded.length)
      throw this.#corrupt(id);
    return encoded;
  }

  /** Sorted. */
  ids(): readonly ObjectId[] {
    return Array.from({ length: this.count }, (_, at) => this.#idAt(at));
  }

  /** Bytes that the object takes in the pack; 0 when it is not there. */
  sizeOf(id: ObjectId): number {
    const at = this.#find(id);
    if (at === -1) return 0;
    const start = this.#offsetAt(at);
    return (this.#endOf(start) ?? start) - start;
  }

  #idAt(at: number): ObjectId {
    const start = INDEX_IDS_OFFSET + at * ID_BYTES;
    return this.#index.toString('hex', start, start + ID_BYTES) as ObjectId;
  }

  #offsetAt(at: number): number {
    const offsets = INDEX_IDS_OFFSET + this.count * (ID_BYTES + 4);
    const offset = this.#index.readUInt32BE(offsets + at * 4);
    if (offset < LARGE_OFFSET) return offset;
    const large = offsets + this.count * 4 + (offset - LARGE_OFFSET) * 8;
    return Number(this.#index.readBigUInt64BE(large));
  }

  /** The next object's start, or the pack's trailer. */
  #endOf(start: number): number | undefined {
    if (this.#ends === undefined) {
      const starts = Array.from({ length: this.count }, (_, at) => this.#offsetAt(at)).sort((a, b) => a - b);
      const last = this.bytes - TRAILER_BYTES;
      this.#ends = new Map(starts.map((one, at) => [one, starts[at + 1] ?? last]));
    }
    return this.#ends.get(start);
  }

  #find(id: ObjectId): number {
    return this.#findBytes(Buffer.from(id, 'hex'));
  }

  #findBytes(wanted: Buffer): number {
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : this.#index.readUInt32BE(8 + (first - 1) * 4);
    let high = this.#index.readUInt32BE(8 + first * 4);
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = INDEX_IDS_OFFSET + middle * ID_BYTES;
      const order = wanted.compare(this.#index, start, start + ID_BYTES);
      if (order === 0) return middle;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }
}

function isWholeIndex(index: Buffer): boolean {
  if (index.length < INDEX_IDS_OFFSET + 2 * TRAILER_BYTES) return false;
  if (index.readUInt32BE(0) !== INDEX_SIGNATURE || index.readUInt32BE(4) !== 2) return false;
  const count = index.readUInt32BE(INDEX_IDS_OFFSET - 4);
  return index.length >= INDEX_IDS_OFFSET + count * (ID_BYTES + 8) + 2 * TRAILER_BYTES;
}

/** The first 30 bits of an id: a number that takes no memory of its own. */
export function prefixAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) >>> 2;
}
