import { createHash } from 'node:crypto';
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
