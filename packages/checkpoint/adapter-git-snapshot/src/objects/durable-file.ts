import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryName } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';

/** Whether what was written must also survive a power cut. */
export type Durability = 'power-cut' | 'process';

const PIECE_BYTES = 256 * 1024;

/**
 * The synchronous sibling of `writeFileAtomically`, for many small files in a row, where an await each costs more than the write.
 * Whether the name itself survives a power cut is up to {@link syncFolder}.
 */
export function replaceFile(
  path: string,
  parts: readonly Uint8Array[],
  durability: Durability,
  mode: number,
): void {
  const temporary = join(dirname(path), temporaryName());
  try {
    writeNewFile(temporary, parts, durability, mode);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** An object that is there already is as good as ours. */
export function writeObjectFile(path: string, parts: readonly Uint8Array[], durability: Durability): void {
  replaceFile(path, parts, durability, 0o444);
}

/** Never writes through a link, never over a file. */
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

export function syncFolder(path: string, durability: Durability): void {
  if (durability === 'process' || process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
