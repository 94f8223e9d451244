import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import {
  decodeStat,
  GitFormatError,
  type IndexStat,
  type IndexView,
  readIndex,
  writeIndex,
} from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { fileSystemError } from './file-access.ts';

/** An index as it lay on the disk. */
export interface LoadedIndex {
  readonly view: IndexView;
  /** The view's bytes, as a buffer. */
  readonly bytes: Buffer;
  /** When its file was written; before all times when there is no index. */
  readonly writtenMs: number;
}

/** A file's time and the index's are stamped by a clock that ticks every 10 ms at worst; twice that is safe. */
const CLOCK_SLACK_MS = 20;

export function sha1(parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * The index of a work tree; an empty one when there is none yet.
 *
 * @throws GitError `GIT_CORRUPT`, `GIT_UNSUPPORTED_REPOSITORY` for a form that we do not read.
 */
export function loadIndex(gitDirectory: string): LoadedIndex {
  return loadIndexFile(join(gitDirectory, 'index'));
}

export function loadIndexFile(path: string): LoadedIndex {
  try {
    const { bytes, writtenMs } = readStamped(path) ?? {
      bytes: Buffer.from(writeIndex([], sha1)),
      writtenMs: Number.NEGATIVE_INFINITY,
    };
    return { view: readIndex(bytes), bytes, writtenMs };
  } catch (error) {
    throw error instanceof GitFormatError ? unreadableIndex(path, error) : error;
  }
}

function readStamped(path: string): { bytes: Buffer; writtenMs: number } | null {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw fileSystemError(`cannot read ${path}`, error);
  }
  try {
    return { bytes: readFileSync(handle), writtenMs: fstatSync(handle).mtimeMs };
  } finally {
    closeSync(handle);
  }
}

function unreadableIndex(path: string, cause: GitFormatError): GitError {
  const damaged = cause.code === 'GIT_INDEX_CORRUPT';
  return new GitError(
    damaged ? 'GIT_CORRUPT' : 'GIT_UNSUPPORTED_REPOSITORY',
    `cannot use ${path}: ${cause.message}`,
    { hint: cause.hint, data: { path, ...cause.data, ...(damaged ? {} : { features: ['index'] }) }, cause },
  );
}

function unsigned(value: number): number {
  return value % 0x1_0000_0000;
}

function timeMs(bytes: Buffer, offset: number): number {
  // the arithmetic of Node's own `Stats`, so that equal times are equal numbers
  return bytes.readUInt32BE(offset) * 1000 + bytes.readUInt32BE(offset + 4) / 1e6;
}

/**
 * Whether the file is still the one whose stat stands at `offset` of the bytes, by all that the index keeps of it. A later
 * write of the same size is only seen if it happened in a later tick of the clock: see `isRacy`.
 */
export function matchesStat(bytes: Buffer, offset: number, stat: Stats): boolean {
  return (
    stat.mtimeMs === timeMs(bytes, offset + 8) &&
    stat.ctimeMs === timeMs(bytes, offset) &&
    unsigned(stat.size) === bytes.readUInt32BE(offset + 36) &&
    (stat.ino > Number.MAX_SAFE_INTEGER || unsigned(stat.ino) === bytes.readUInt32BE(offset + 20))
  );
}

/** Whether the file may have been written after the index looked at it, and yet have the same stat. */
export function isRacy(bytes: Buffer, offset: number, writtenMs: number): boolean {
  const latest = writtenMs - CLOCK_SLACK_MS;
  return timeMs(bytes, offset) >= latest || timeMs(bytes, offset + 8) >= latest;
}

/**
 * Makes git read again each file that it could not be sure of in the index as it lay on the disk: a newer index file would
 * make it sure. Git compares whole seconds.
 */
export function smudgeRacyEntries(index: LoadedIndex): void {
  const writtenSeconds = Math.floor(index.writtenMs / 1000);
  for (let entry = 0; entry < index.view.entryCount; entry++)
    if (index.bytes.readUInt32BE(index.view.offset(entry) + 8) >= writtenSeconds) index.view.smudge(entry);
}

/** What an index keeps of a `Stats` without big integers: nanoseconds are those that its numbers can hold. */
export function statOfEntry(index: LoadedIndex, entry: number): IndexStat {
  return decodeStat(index.bytes, index.view.offset(entry));
}
