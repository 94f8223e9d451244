import { createHash, hash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { ObjectId } from '@cleveragents/git-domain';

export type ObjectType = 'blob' | 'tree' | 'commit';

export interface GitObject {
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

export function objectHeader(type: ObjectType, size: number): Buffer {
  return Buffer.from(`${type} ${size}\0`, 'latin1');
}

/** Up to here a copy costs less than a hash that is fed in two steps. */
const COPIED_BYTES = 64 * 1024;
const copy = Buffer.allocUnsafeSlow(COPIED_BYTES + 32);

export function objectIdOf(type: ObjectType, bytes: Uint8Array): ObjectId {
  if (bytes.length > COPIED_BYTES)
    return createHash('sha1')
      .update(objectHeader(type, bytes.length))
      .update(bytes)
      .digest('hex') as ObjectId;
  const start = copy.write(`${type} ${bytes.length}\0`, 'latin1');
  copy.set(bytes, start);
  return hash('sha1', copy.subarray(0, start + bytes.length), 'hex') as ObjectId;
}

export function isObjectType(value: string): value is ObjectType {
  return value === 'blob' || value === 'tree' || value === 'commit';
}

/** Nobody changes an object; one that is there already is as good as ours. */
export const OBJECT_MODE = 0o444;

const FASTEST = 1;
const SMALL_BYTES = 8 * 1024;

/**
 * The content of an object as a zlib stream. Trees are mostly hashes, which nothing makes smaller: they are stored as they are,
 * which costs a fraction.
 */
export function encodeContent(type: ObjectType, bytes: Uint8Array): Buffer {
  return type === 'tree' && bytes.length <= MOST_STORED_BYTES ? storedStream(bytes) : deflateObject(bytes);
}

/** Deflates with no more working memory than the content needs: setting that up is most of the work for a small object. */
export function deflateObject(bytes: Uint8Array): Buffer {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes.length + 1))));
  const memLevel = bytes.length < SMALL_BYTES ? 4 : 8;
  const chunkSize = Math.max(64, Math.min(bytes.length + 64, 64 * 1024));
  return deflateSync(bytes, { level: FASTEST, windowBits, memLevel, chunkSize });
}

/** What fits into one stored block. */
const MOST_STORED_BYTES = 0xffff;
const ADLER_BASE = 65_521;
/** So many bytes can be added up before the sums have to be reduced. */
const ADLER_RUN = 5552;

/** RFC 1950 and 1951: two bytes of header, one last block that is stored, a checksum. */
function storedStream(bytes: Uint8Array): Buffer {
  const stream = Buffer.allocUnsafe(bytes.length + 11);
  stream.writeUInt16BE(0x7801, 0);
  stream[2] = 1;
  stream.writeUInt16LE(bytes.length, 3);
  stream.writeUInt16LE(~bytes.length & 0xffff, 5);
  stream.set(bytes, 7);
  stream.writeUInt32BE(adler32(bytes), bytes.length + 7);
  return stream;
}

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (let start = 0; start < bytes.length; start += ADLER_RUN) {
    const end = Math.min(start + ADLER_RUN, bytes.length);
    for (let at = start; at < end; at++) {
      low += bytes[at] ?? 0;
      high += low;
    }
    low %= ADLER_BASE;
    high %= ADLER_BASE;
  }
  return high * 65_536 + low;
}
