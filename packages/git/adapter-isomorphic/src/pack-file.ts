import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { applyDelta, type ObjectId } from '@cleveragents/git-domain';
import { ByteCache } from './byte-cache.ts';
import { PackIndex } from './pack-index.ts';
import type { ObjectType, StoredObject } from './stored-object.ts';

const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFFSET_DELTA = 6;
const ID_DELTA = 7;
/** An entry's header and what may stand between it and the data: size, offset or id of a delta's base. */
const LONGEST_HEADER = 64;
const TRAILER_BYTES = 20;
/** Git makes none longer. */
const LONGEST_CHAIN = 4096;
const BASES_BYTES = 16 * 2 ** 20;

interface Entry {
  readonly kind: number;
  /** Of the data when inflated. */
  readonly size: number;
  /** Where the deflated data begins. */
  readonly start: number;
  /** For a delta: the base's offset in this pack, or its id. */
  readonly base: number | ObjectId | null;
}

/** Closes what was forgotten: a pack stays readable through its descriptor even after `git gc` removed the file. */
const forgotten = new FinalizationRegistry<number>((descriptor) => {
  closeSync(descriptor);
});

/** A pack and its index. Reads what is asked for, never the whole. */
export class PackFile {
  readonly #index: PackIndex;
  readonly #descriptor: number;
  readonly #size: number;
  readonly #bases = new ByteCache<number, StoredObject>(BASES_BYTES, (object) => object.bytes.length);
  /** For a base that lies in another pack, which only half-fetched repositories have. */
  readonly #readElsewhere: (id: ObjectId) => StoredObject;

  /** @param path without extension. @throws the system's error; RangeError for a damaged index. */
  constructor(path: string, readElsewhere: (id: ObjectId) => StoredObject) {
    this.#index = new PackIndex(readFileSync(`${path}.idx`));
    this.#readElsewhere = readElsewhere;
    this.#descriptor = openSync(`${path}.pack`, 'r');
    forgotten.register(this, this.#descriptor, this);
    this.#size = fstatSync(this.#descriptor).size - TRAILER_BYTES;
  }

  close(): void {
    forgotten.unregister(this);
    closeSync(this.#descriptor);
  }

  has(id: ObjectId): boolean {
    return this.#index.find(id) >= 0;
  }

  /** Null when the object is not in this pack. @throws Error for a damaged pack. */
  read(id: ObjectId): StoredObject | null {
    const offset = this.#index.find(id);
    return offset < 0 ? null : this.#readAt(offset);
  }

  #readAt(offset: number): StoredObject {
    const deltas: Buffer[] = [];
    const passed: number[] = [];
    let position = offset;
    let object = this.#bases.get(position);
    while (object === undefined) {
      const entry = this.#entryAt(position);
      const data = this.#inflate(entry);
      if (entry.base === null) {
        object = { type: typeOf(entry.kind), bytes: data };
        break;
      }
      if (deltas.push(data) > LONGEST_CHAIN) throw new Error('deltas go round in a circle');
      passed.push(position);
      if (typeof entry.base === 'number') position = entry.base;
      else {
        const inside = this.#index.find(entry.base);
        if (inside < 0) object = this.#readElsewhere(entry.base);
        position = inside;
      }
      object ??= this.#bases.get(position);
    }
    return this.#rebuild(object, position, { deltas, passed });
  }

  /** Applies the deltas, outermost last; the bases on the way are kept, since neighbours share them. */
  #rebuild(
    base: StoredObject,
    position: number,
    { deltas, passed }: { readonly deltas: readonly Buffer[]; readonly passed: readonly number[] },
  ): StoredObject {
    let object = base;
    if (deltas.length > 0 && position >= 0) this.#bases.set(position, base);
    for (let at = deltas.length - 1; at >= 0; at--) {
      const bytes = applyDelta(object.bytes, deltas[at] as Buffer);
      object = { type: object.type, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) };
      if (at > 0) this.#bases.set(passed[at] as number, object);
    }
    return object;
  }

  #entryAt(offset: number): Entry {
    const bytes = this.#bytesAt(offset, LONGEST_HEADER);
    let at = 0;
    let byte = bytes.readUInt8(at++);
    const kind = (byte >> 4) & 7;
    let size = byte & 15;
    for (let scale = 16; byte & 128; scale *= 128) {
      byte = bytes.readUInt8(at++);
      size += (byte & 127) * scale;
    }
    if (kind === ID_DELTA) {
      const base = bytes.toString('hex', at, at + 20) as ObjectId;
      return { kind, size, start: offset + at + 20, base };
    }
    if (kind !== OFFSET_DELTA) return { kind, size, start: offset + at, base: null };
    byte = bytes.readUInt8(at++);
    let distance = byte & 127;
    while (byte & 128) {
      byte = bytes.readUInt8(at++);
      distance = (distance + 1) * 128 + (byte & 127);
    }
    if (distance <= 0 || distance > offset) throw new Error('a delta has no base');
    return { kind, size, start: offset + at, base: offset - distance };
  }

  #inflate({ start, size }: Entry): Buffer {
    // the largest that deflate makes of so many bytes; what lies behind belongs to the next entry and is passed over
    const longest = size + (size >> 8) + 64;
    const data = inflateSync(this.#bytesAt(start, longest), { chunkSize: Math.max(64, size + 1) });
    if (data.length !== size) throw new Error(`an entry has ${data.length} bytes instead of ${size}`);
    return data;
  }

  #bytesAt(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#size - offset)));
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(this.#descriptor, bytes, done, bytes.length - done, offset + done);
      if (read === 0) throw new Error('the pack ends early');
      done += read;
    }
    return bytes;
  }
}

function typeOf(kind: number): ObjectType {
  const type = TYPES[kind];
  if (type === undefined) throw new Error(`unknown kind of entry ${kind}`);
  return type;
}
