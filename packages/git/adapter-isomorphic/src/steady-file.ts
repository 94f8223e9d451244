import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { hasCode } from '@cleveragents/shared-kernel';

/** A file's content, and the `lstat` that it goes with. */
export type FileReading =
  | { readonly kind: 'file' | 'link'; readonly bytes: Buffer; readonly stat: Stats }
  | { readonly kind: 'absent' | 'directory' | 'special' | 'unreadable' | 'moving' | 'too-large' };

const TYPE_BITS = 0o170000;
const ATTEMPTS = 4;
/** It is held in memory as a whole, and deflated as a whole: 1 GiB. */
export const LARGEST_FILE = 2 ** 30;

export function isRegular(stat: Stats): boolean {
  return (stat.mode & TYPE_BITS) === constants.S_IFREG;
}

export function isLink(stat: Stats): boolean {
  return (stat.mode & TYPE_BITS) === constants.S_IFLNK;
}

export function isDirectory(stat: Stats): boolean {
  return (stat.mode & TYPE_BITS) === constants.S_IFDIR;
}

/** Null when there is nothing; no link is followed at the last step. */
export function lstatIfThere(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}

/**
 * Reads what lies at the path: bytes that were all there at one moment. A file that is written while it is read is read
 * again, and is `moving` when that does not help. Never waits: a named pipe is `special`. Beyond {@link LARGEST_FILE} it is not
 * read.
 */
export function readSteadily(path: string): FileReading {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const reading = readOnce(path);
      if (reading !== null) return reading;
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EPERM')) return { kind: 'unreadable' };
      // ELOOP, ENXIO: replaced by a link or a socket since we looked. EINVAL: a link that became a file.
      if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EINVAL')) throw error;
    }
  }
  return lstatIfThere(path) === null ? { kind: 'absent' } : { kind: 'moving' };
}

function readOnce(path: string): FileReading | null {
  const stat = lstatIfThere(path);
  if (stat === null) return { kind: 'absent' };
  if (isDirectory(stat)) return { kind: 'directory' };
  if (isLink(stat)) {
    const bytes = readlinkSync(path, 'buffer');
    const after = lstatIfThere(path);
    return after !== null && isSameMoment(stat, after) ? { kind: 'link', bytes, stat } : null;
  }
  return isRegular(stat) ? readRegular(path) : { kind: 'special' };
}

function readRegular(path: string): FileReading | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const before = fstatSync(handle);
    if (!isRegular(before)) return null;
    if (before.size > LARGEST_FILE) return { kind: 'too-large' };
    const bytes = Buffer.allocUnsafe(before.size);
    const length = readFully(handle, bytes);
    const isWhole = length === before.size && isSameMoment(before, fstatSync(handle));
    return isWhole ? { kind: 'file', bytes, stat: before } : null;
  } finally {
    closeSync(handle);
  }
}

/** Fills the buffer as far as the file reaches. */
export function readFully(handle: number, buffer: Buffer): number {
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(handle, buffer, length, buffer.length - length, length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

export function isSameMoment(before: Stats, after: Stats): boolean {
  return (
    before.mtimeMs === after.mtimeMs &&
    before.ctimeMs === after.ctimeMs &&
    before.size === after.size &&
    before.ino === after.ino
  );
}
