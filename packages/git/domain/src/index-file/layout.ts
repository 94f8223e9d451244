import { encodeUtf8, writeHex } from '../bytes.ts';
import type { IndexEntry, IndexStat } from './entry.ts';
import { UNKNOWN_STAT } from './entry.ts';

// Where the fields of an entry lie, counted from its beginning. All numbers are 32 bits, most significant byte first.
export const MODE_OFFSET = 24;
export const SIZE_OFFSET = 36;
export const ID_OFFSET = 40;
export const FLAGS_OFFSET = 60;
export const EXTENDED_FLAGS_OFFSET = 62;
export const HEADER_BYTES = 12;
export const TRAILER_BYTES = 20;
export const SIGNATURE = 0x44495243; // DIRC

export const ASSUME_VALID = 0x8000;
export const EXTENDED = 0x4000;
export const LONGEST_LENGTH = 0xfff;
export const SKIP_WORKTREE = 0x4000;
export const INTENT_TO_ADD = 0x2000;

/** Where each field of `IndexStat` lies; between dev/ino and uid/gid stands the mode. */
const STAT_OFFSETS = [
  ['ctimeSeconds', 0],
  ['ctimeNanoseconds', 4],
  ['mtimeSeconds', 8],
  ['mtimeNanoseconds', 12],
  ['dev', 16],
  ['ino', 20],
  ['uid', 28],
  ['gid', 32],
  ['size', SIZE_OFFSET],
] as const satisfies readonly (readonly [keyof IndexStat, number])[];

export function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  );
}

export function readUint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function writeUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

/** Puts the stat fields of an entry that begins at `offset`; its mode, id and path stay. */
export function encodeStat(stat: IndexStat, bytes: Uint8Array, offset: number): void {
  for (const [field, at] of STAT_OFFSETS) writeUint32(bytes, offset + at, stat[field]);
}

export function decodeStat(bytes: Uint8Array, offset: number): IndexStat {
  const fields = STAT_OFFSETS.map(([field, at]) => [field, readUint32(bytes, offset + at)]);
  return Object.fromEntries(fields) as IndexStat;
}

/** Whether the entry needs the two bytes more that version 3 gives it. */
export function isExtended({ skipWorktree, intentToAdd }: IndexEntry): boolean {
  return skipWorktree === true || intentToAdd === true;
}

/** Size of an entry whose path has `pathBytes` bytes: one NUL at least, up to a multiple of eight. */
export function entrySize(pathBytes: number, extended: boolean): number {
  return (EXTENDED_FLAGS_OFFSET + (extended ? 2 : 0) + pathBytes + 8) & ~7;
}

export function encodeEntry(entry: IndexEntry): Uint8Array {
  const path = encodeUtf8(entry.path);
  const extended = isExtended(entry);
  const bytes = new Uint8Array(entrySize(path.length, extended));
  encodeStat(entry.stat ?? UNKNOWN_STAT, bytes, 0);
  writeUint32(bytes, MODE_OFFSET, Number.parseInt(entry.mode, 8));
  writeHex(entry.id, bytes, ID_OFFSET);
  const flags =
    (entry.assumeValid ? ASSUME_VALID : 0) |
    (extended ? EXTENDED : 0) |
    ((entry.stage ?? 0) << 12) |
    Math.min(path.length, LONGEST_LENGTH);
  writeUint16(bytes, FLAGS_OFFSET, flags);
  if (extended) {
    const more = (entry.skipWorktree ? SKIP_WORKTREE : 0) | (entry.intentToAdd ? INTENT_TO_ADD : 0);
    writeUint16(bytes, EXTENDED_FLAGS_OFFSET, more);
  }
  bytes.set(path, EXTENDED_FLAGS_OFFSET + (extended ? 2 : 0));
  return bytes;
}
