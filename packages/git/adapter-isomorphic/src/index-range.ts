import type { LoadedIndex } from './index-file.ts';

/** Entries of an index from `start` to before `end`. */
export interface IndexRange {
  readonly start: number;
  readonly end: number;
}

export interface IndexName {
  readonly name: string;
  /** The name is a directory's: the entry lies below it. */
  readonly isFolder: boolean;
}

const FIRST_PATH_BYTE = 62;
const EXTENDED = 0x40;
const SLASH = 0x2f;

/** The segment of an entry's path that begins at `prefixBytes`. */
export function nameAt({ bytes, view }: LoadedIndex, entry: number, prefixBytes: number): IndexName {
  const offset = view.offset(entry);
  const extra = (bytes[offset + 60] as number) & EXTENDED ? 2 : 0;
  const start = offset + FIRST_PATH_BYTE + extra + prefixBytes;
  let end = start;
  while (bytes[end] !== 0 && bytes[end] !== SLASH) end++;
  return { name: bytes.toString('utf8', start, end), isFolder: bytes[end] === SLASH };
}

/** Where the entries below the directory `path` end, given that the range begins with the first of them. */
export function endOfFolder({ view }: LoadedIndex, range: IndexRange, path: string): number {
  // `0` follows `/`: every path in the folder is before it
  const end = view.firstNotBefore(Buffer.from(`${path}0`));
  return Math.max(range.start + 1, Math.min(end, range.end));
}

/** Where the stages of the path end with which the range begins. */
export function endOfPath({ view }: LoadedIndex, { start, end }: IndexRange): number {
  if (view.stage(start) === 0) return start + 1;
  const path = Buffer.from(view.pathBytes(start));
  let next = start + 1;
  while (next < end && path.equals(view.pathBytes(next))) next++;
  return next;
}
