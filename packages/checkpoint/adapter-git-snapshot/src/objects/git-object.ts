import { createHash } from 'node:crypto';
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

export function objectIdOf(type: ObjectType, bytes: Uint8Array): ObjectId {
  return createHash('sha1').update(objectHeader(type, bytes.length)).update(bytes).digest('hex') as ObjectId;
}

export function isObjectType(value: string): value is ObjectType {
  return value === 'blob' || value === 'tree' || value === 'commit';
}

const FASTEST = 1;
const SMALL_BYTES = 8 * 1024;

/** Deflates with no more working memory than the content needs: setting that up is most of the work for a small object. */
export function deflateObject(bytes: Uint8Array): Buffer {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(bytes.length + 1))));
  const memLevel = bytes.length < SMALL_BYTES ? 4 : 8;
  const chunkSize = Math.max(64, Math.min(bytes.length + 64, 64 * 1024));
  return deflateSync(bytes, { level: FASTEST, windowBits, memLevel, chunkSize });
}
