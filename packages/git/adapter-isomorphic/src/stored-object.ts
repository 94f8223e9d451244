import { createHash } from 'node:crypto';
import type { ObjectId } from '@cleveragents/git-domain';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

export interface StoredObject {
  readonly type: ObjectType;
  readonly bytes: Buffer;
}

export function isObjectType(word: string): word is ObjectType {
  return word === 'blob' || word === 'tree' || word === 'commit' || word === 'tag';
}

/** What stands before the content, both in a loose object and in what is hashed. */
export function objectHeader(type: ObjectType, length: number): Buffer {
  return Buffer.from(`${type} ${length}\0`, 'latin1');
}

/** The id that git gives to content of that type. */
export function hashObject(type: ObjectType, bytes: Uint8Array): ObjectId {
  const hash = createHash('sha1').update(objectHeader(type, bytes.length)).update(bytes);
  return hash.digest('hex') as ObjectId;
}

export function hashBlob(bytes: Uint8Array): ObjectId {
  return hashObject('blob', bytes);
}
