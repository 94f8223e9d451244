import { hash as hashOnce, createHash } from 'node:crypto';
import { closeSync, fstatSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { type Entry, PERMISSIONS, sameStamp, type Stamp, stampOf } from './entry.ts';
import { type PinnedFolder, readably } from './pinned-folder.ts';

const BUFFER = Buffer.allocUnsafe(1 << 20);
const TRIES = 3;

export interface ReadFile {
  readonly entry: Extract<Entry, { kind: 'file' }>;
  readonly stamp: Stamp;
  readonly stats: Stats;
}

/** Thrown when a file cannot be had whole, because somebody writes it all the time. */
export class FileMoving extends Error {}

/**
 * Reads a file once, in pieces, and says what was read; somebody who writes it meanwhile makes it begin again.
 * @param begin called before each try. @param take called with each piece, which is valid until it returns.
 * @throws the system's error; `ENOENT` when it is no regular file (any more). @throws FileMoving.
 */
export function readWhole(
  folder: PinnedFolder,
  name: string,
  take?: (piece: Buffer) => void,
  begin?: (stats: Stats) => void,
): ReadFile {
  const descriptor = folder.openFile(name);
  try {
    return readDescriptor(descriptor, take, begin);
  } finally {
    closeSync(descriptor);
  }
}

/** The same for a file that is open. @param known what was just said of it. */
export function readDescriptor(
  descriptor: number,
  take?: (piece: Buffer) => void,
  begin?: (stats: Stats) => void,
  known?: Stats,
): ReadFile {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const stats = attempt === 0 && known !== undefined ? known : fstatSync(descriptor);
    if (!stats.isFile()) throw Object.assign(new Error('it is no file any more'), { code: 'ENOENT' });
    begin?.(stats);
    const { sha256, size } = digest(descriptor, stats.size, take);
    const stamp = stampOf(fstatSync(descriptor));
    if (size === stamp.size && sameStamp(stamp, stampOf(stats)))
      return { entry: { kind: 'file', mode: stats.mode & PERMISSIONS, size, sha256 }, stamp, stats };
  }
  throw new FileMoving('it is written all the time');
}

function digest(
  descriptor: number,
  expected: number,
  take: ((piece: Buffer) => void) | undefined,
): { readonly sha256: string; readonly size: number } {
  const first = readSync(descriptor, BUFFER, 0, BUFFER.length, 0);
  const piece = BUFFER.subarray(0, first);
  if (first < BUFFER.length && first === expected) {
    take?.(piece);
    return { sha256: hashOnce('sha256', piece), size: first };
  }
  const hash = createHash('sha256');
  let size = 0;
  for (let count = first; count > 0; count = readSync(descriptor, BUFFER, 0, BUFFER.length, size)) {
    const next = BUFFER.subarray(0, count);
    hash.update(next);
    take?.(next);
    size += count;
  }
  return { sha256: hash.digest('hex'), size };
}

/** What lies there: null for nothing, `special` for what is no file, link or directory. Reads files whole. */
export function entryAt(folder: PinnedFolder, name: string): Entry | 'special' | null {
  const stats = folder.stat(name);
  if (stats === null) return null;
  if (stats.isDirectory()) return { kind: 'directory', mode: stats.mode & PERMISSIONS };
  try {
    if (stats.isSymbolicLink()) return { kind: 'link', target: linkTarget(folder, name) };
    return stats.isFile() ? readWhole(folder, name).entry : 'special';
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** @throws Error with code `EILSEQ` for a target that is no UTF-8. @throws `ENOENT` when it is no link (any more). */
export function linkTarget(folder: PinnedFolder, name: string): string {
  const bytes = readably(() => readLink(folder.address(name)));
  const target = bytes.toString();
  if (Buffer.from(target).equals(bytes)) return target;
  throw Object.assign(new Error(`the target of ${name} is no UTF-8`), { code: 'EILSEQ' });
}

function readLink(path: string): Buffer {
  try {
    return readlinkSync(path, { encoding: 'buffer' });
  } catch (error) {
    if (!hasCode(error, 'EINVAL')) throw error;
    throw Object.assign(new Error(`${path} is no link any more`), { code: 'ENOENT' });
  }
}
