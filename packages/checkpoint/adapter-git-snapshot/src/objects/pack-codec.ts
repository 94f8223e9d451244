import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ObjectId } from '@cleveragents/git-domain';
import type { ObjectType } from './git-object.ts';

/** An object as it lies in a pack: its header and its deflated content, ready to be copied into another pack. */
export interface PackedObject {
  readonly id: ObjectId;
  readonly encoded: Buffer;
}

export interface EncodedPack {
  /** Hex; names the two files. */
  readonly name: string;
  /** The file, piece by piece. */
  readonly pack: readonly Buffer[];
  readonly packBytes: number;
  readonly index: Buffer;
}

const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };
export const TYPE_NAMES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob'];
/** Type numbers of deltas, which git writes and we only read: of what lies so many bytes before, and of an id. */
export const DELTA_OF_OFFSET = 6;
export const DELTA_OF_ID = 7;
const PACK_HEADER_BYTES = 12;
export const INDEX_SIGNATURE = 0xff744f63;
const FAN_OUT = 256;
const ID_BYTES = 20;
/** Where the ids begin: signature, version, fan-out table. */
export const INDEX_IDS_OFFSET = 8 + FAN_OUT * 4;

export function encodePackedObject(type: ObjectType, size: number, deflated: Uint8Array): Buffer {
  const header = [(TYPE_NUMBERS[type] << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header[header.length - 1] = (header.at(-1) ?? 0) | 0x80;
    header.push(rest % 128);
  }
  return Buffer.concat([Uint8Array.from(header), deflated]);
}

/** Type number, inflated size, and where the deflated content begins. */
export function decodePackedHeader(encoded: Uint8Array): {
  readonly typeNumber: number;
  readonly size: number;
  readonly contentStart: number;
} {
  let at = 0;
  let byte = encoded[at++] ?? 0;
  const typeNumber = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = encoded[at++] ?? 0;
    size += (byte & 0x7f) * factor;
  }
  return { typeNumber, size, contentStart: at };
}

/** How far before a delta its base begins, and where the delta's content does. */
export function decodeDistance(
  encoded: Uint8Array,
  start: number,
): { readonly distance: number; readonly end: number } {
  let at = start;
  let byte = encoded[at++] ?? 0;
  let distance = byte & 0x7f;
  while (byte & 0x80) {
    byte = encoded[at++] ?? 0;
    distance = (distance + 1) * 128 + (byte & 0x7f);
  }
  return { distance, end: at };
}

/** A pack without deltas and its index of version 2. No id twice. Under 2 GiB: callers split. */
export function encodePack(objects: readonly PackedObject[]): EncodedPack {
  const header = Buffer.alloc(PACK_HEADER_BYTES);
  header.write('PACK', 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const hash = createHash('sha1').update(header);
  let packBytes = PACK_HEADER_BYTES + ID_BYTES;
  for (const { encoded } of objects) {
    hash.update(encoded);
    packBytes += encoded.length;
  }
  const checksum = hash.digest();
  return {
    name: checksum.toString('hex'),
    pack: [header, ...objects.map(({ encoded }) => encoded), checksum],
    packBytes,
    index: encodeIndex(objects, checksum),
  };
}

function encodeIndex(objects: readonly PackedObject[], packChecksum: Buffer): Buffer {
  let offset = PACK_HEADER_BYTES;
  const entries = objects.map(({ id, encoded }) => {
    const entry = { id, offset, crc: crc32(encoded) };
    offset += encoded.length;
    return entry;
  });
  entries.sort((a, b) => (a.id < b.id ? -1 : 1));
  const count = entries.length;
  const table = Buffer.alloc(INDEX_IDS_OFFSET + count * (ID_BYTES + 8));
  table.writeUInt32BE(INDEX_SIGNATURE, 0);
  table.writeUInt32BE(2, 4);
  let reached = 0;
  for (let byte = 0; byte < FAN_OUT; byte++) {
    while (reached < count && Number.parseInt(entries[reached]?.id.slice(0, 2) ?? '', 16) <= byte) reached++;
    table.writeUInt32BE(reached, 8 + byte * 4);
  }
  for (const [at, entry] of entries.entries()) {
    table.write(entry.id, INDEX_IDS_OFFSET + at * ID_BYTES, 'hex');
    table.writeUInt32BE(entry.crc, INDEX_IDS_OFFSET + count * ID_BYTES + at * 4);
    table.writeUInt32BE(entry.offset, INDEX_IDS_OFFSET + count * (ID_BYTES + 4) + at * 4);
  }
  const unsigned = Buffer.concat([table, packChecksum]);
  return Buffer.concat([unsigned, createHash('sha1').update(unsigned).digest()]);
}
