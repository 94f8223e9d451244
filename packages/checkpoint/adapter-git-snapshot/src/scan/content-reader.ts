import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import type { ObjectId } from '@cleveragents/git-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { objectHeader, objectIdOf } from '../objects/git-object.ts';

/** Read whole up to here; above, piece by piece and twice. */
export const WHOLE_FILE_BYTES = 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
const ATTEMPTS = 3;
let scratch = Buffer.allocUnsafeSlow(64 * 1024);

export type Content =
  /** `bytes` are good until the next file is read: a first look at a large tree would fill the memory otherwise. */
  | { readonly kind: 'whole'; readonly bytes: Buffer; readonly status: Stats }
  | { readonly kind: 'large'; readonly blob: ObjectId; readonly size: number; readonly status: Stats };

/**
 * The content of a regular file, together with a status that belongs to it: no write came in between. `'changing'` when one
 * always does, `'unreadable'` when the system refuses, `'gone'`, `'other'` when it is no regular file any more.
 */
export function readSteadily(address: string): Content | 'changing' | 'unreadable' | 'gone' | 'other' {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let file: number;
    try {
      file = openSync(address, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'gone';
      if (hasCode(error, 'ELOOP', 'ENXIO')) return 'other';
      if (hasCode(error, 'EACCES', 'EPERM', 'EIO', 'EBUSY')) return 'unreadable';
      throw error;
    }
    try {
      const before = fstatSync(file);
      if (!before.isFile()) return 'other';
      const content = before.size > WHOLE_FILE_BYTES ? hashLarge(file, before) : readWhole(file, before);
      if (content !== null && isSameStatus(before, fstatSync(file))) return content;
    } catch (error) {
      if (hasCode(error, 'EIO', 'EACCES', 'EPERM')) return 'unreadable';
      throw error;
    } finally {
      closeSync(file);
    }
  }
  return 'changing';
}

/** `null`: it is no link any more. */
export function readTarget(address: string): Buffer | null {
  try {
    return readlinkSync(address, { encoding: 'buffer' });
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EINVAL', 'ENOTDIR')) return null;
    throw error;
  }
}

export function blobIdOf(content: Content): ObjectId {
  return content.kind === 'whole' ? objectIdOf('blob', content.bytes) : content.blob;
}

function readWhole(file: number, status: Stats): Content | null {
  if (scratch.length < status.size)
    scratch = Buffer.allocUnsafeSlow(Math.max(status.size, 2 * scratch.length));
  const bytes = scratch.subarray(0, status.size);
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(file, bytes, read, bytes.length - read, null);
    if (count === 0) return null;
    read += count;
  }
  return { kind: 'whole', bytes, status };
}

function hashLarge(file: number, status: Stats): Content | null {
  const hash = createHash('sha1').update(objectHeader('blob', status.size));
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let read = 0;
  while (read < status.size) {
    const count = readSync(file, piece, 0, piece.length, null);
    if (count === 0) return null;
    hash.update(piece.subarray(0, count));
    read += count;
  }
  return { kind: 'large', blob: hash.digest('hex') as ObjectId, size: status.size, status };
}

function isSameStatus(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode;
}
