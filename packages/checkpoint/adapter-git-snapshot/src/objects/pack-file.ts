import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import type { ObjectId } from '@cleveragents/git-domain';
import type { GitObject } from './git-object.ts';
import { decodePackedHeader, INDEX_IDS_OFFSET, type PackedObject, TYPE_NAMES } from './pack-codec.ts';
import { storeCorrupt } from './store.errors.ts';

const ID_BYTES = 20;
const TRAILER_BYTES = 20;

/** One pack of ours, which holds no deltas, kept open: it can be read to the end also when another process replaced it. */
export class PackFile {
  readonly path: string;
  readonly count: number;
  readonly #index: Buffer;
  readonly #file: number;
  /** What the pack takes on disk. */
  readonly bytes: number;
  #ends: Map<number, number> | undefined;

  /** @param path without its ending: `pack/pack-<name>`. @throws the system's `ENOENT` when either file is gone. */
  constructor(path: string) {
    this.path = path;
    this.#index = readFileSync(`${path}.idx`);
    this.#file = openSync(`${path}.pack`, 'r');
    this.bytes = statSync(`${path}.pack`).size;
    this.count = this.#index.readUInt32BE(INDEX_IDS_OFFSET - 4);
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

  read(id: ObjectId): GitObject | null {
    const packed = this.readPacked(id);
    if (packed === null) return null;
    const { typeNumber, size, contentStart } = decodePackedHeader(packed.encoded);
    const type = TYPE_NAMES[typeNumber];
    if (type === undefined)
      throw storeCorrupt(`object ${id} is packed as a delta, which this store never writes`, {
        hint: 'Something else repacked the snapshot store; unpack it with `git unpack-objects`.',
        data: { id, pack: this.path },
      });
    const bytes = inflateSync(packed.encoded.subarray(contentStart), { maxOutputLength: Math.max(size, 1) });
    return { type, bytes };
  }

  addPrefixes(prefixes: Set<number>): void {
    for (let at = 0; at < this.count; at++)
      prefixes.add(prefixAt(this.#index, INDEX_IDS_OFFSET + at * ID_BYTES));
  }

  readPacked(id: ObjectId): PackedObject | null {
    const at = this.#find(id);
    if (at === -1) return null;
    const start = this.#offsetAt(at);
    const encoded = Buffer.allocUnsafe((this.#endOf(start) ?? start) - start);
    if (readSync(this.#file, encoded, 0, encoded.length, start) !== encoded.length)
      throw storeCorrupt(`pack ${this.path} ends inside object ${id}`, { data: { id, pack: this.path } });
    return { id, encoded };
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
    return this.#index.readUInt32BE(INDEX_IDS_OFFSET + this.count * (ID_BYTES + 4) + at * 4);
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

/** The first 30 bits of an id: a number that takes no memory of its own. */
export function prefixAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) >>> 2;
}
