import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';
import { temporaryName } from './atomic-file.ts';

/** Whether what was written must also survive a power cut. */
export type Durability = 'power-cut' | 'process';

const PIECE_BYTES = 256 * 1024;

/**
 * The synchronous sibling of `writeFileAtomically`, for small files, where an await each costs more than the write. Whoever
 * opens `path` finds the old contents or the new ones, whole. Whether the name itself survives a power cut is up to
 * {@link syncFolder}.
 *
 * @param mode permission bits, less the umask.
 */
export function replaceFile(
  path: string,
  parts: readonly Uint8Array[],
  durability: Durability,
  mode: number,
): void {
  byWayOfTemporary(path, parts, durability, mode, (temporary) => {
    renameSync(temporary, path);
  });
}

/** The same for a name that must be free. @throws the system's `EEXIST`; nothing is replaced. */
export function createFile(
  path: string,
  parts: readonly Uint8Array[],
  durability: Durability,
  mode: number,
): void {
  byWayOfTemporary(path, parts, durability, mode, (temporary) => {
    linkSync(temporary, path);
    removeIfPossible(temporary);
  });
}

/** Never writes through a link, never over a file; a failure may leave a part of it. @throws the system's `EEXIST`. */
export function writeNewFile(
  path: string,
  parts: readonly Uint8Array[],
  durability: Durability,
  mode: number,
): void {
  const file = openSync(path, 'wx', mode);
  try {
    for (const part of inPieces(parts))
      for (let written = 0; written < part.length;) written += writeSync(file, part, written);
    if (durability === 'power-cut') fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Many small parts as few writes. What is large is not copied. */
function* inPieces(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let small: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    if (part.length < PIECE_BYTES) {
      small.push(part);
      bytes += part.length;
    }
    if (bytes >= PIECE_BYTES || (part.length >= PIECE_BYTES && bytes > 0)) {
      yield Buffer.concat(small);
      small = [];
      bytes = 0;
    }
    if (part.length >= PIECE_BYTES) yield part;
  }
  if (bytes > 0) yield small.length === 1 && small[0] !== undefined ? small[0] : Buffer.concat(small);
}

/** Gives a file a second name, or moves it there where the file system knows no second names. @throws `EEXIST`. */
export function putInPlace(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS')) throw error;
    renameSync(from, to);
  }
}

/** Makes the names in a folder survive a power cut, where that is asked for and the system has such a call. */
export function syncFolder(path: string, durability: Durability): void {
  if (durability === 'process' || process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } catch (error) {
    // Some network file systems know no fsync of a directory.
    if (!hasCode(error, 'EINVAL', 'ENOTSUP')) throw error;
  } finally {
    closeSync(folder);
  }
}

function byWayOfTemporary(
  path: string,
  parts: readonly Uint8Array[],
  durability: Durability,
  mode: number,
  putInPlaceOf: (temporary: string) => void,
): void {
  const temporary = join(dirname(path), temporaryName());
  try {
    writeNewFile(temporary, parts, durability, mode);
    putInPlaceOf(temporary);
  } catch (error) {
    removeIfPossible(temporary);
    throw error;
  }
}

/** A failure here changes nothing about the outcome; the file's name tells a later sweep what it is. */
function removeIfPossible(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}
