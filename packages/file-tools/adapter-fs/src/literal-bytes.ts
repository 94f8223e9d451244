import type { LineHit, SearchMatch } from '@cleveragents/file-tools-domain';
import { presentHits } from '@cleveragents/file-tools-domain';

const LINE_FEED = 0x0a;
const FOUR_LINE_FEEDS = 0x0a0a0a0a;
const RETURN = 0x0d;
const MARK = Buffer.of(0xef, 0xbb, 0xbf);

/** The bytes of UTF-8 without a mark at their beginning. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
}

/**
 * `literalHits` for bytes of UTF-8, valid or not, with positions that count bytes: a text that is valid by itself is in the
 * decoded bytes exactly where its own bytes are.
 */
export function literalHitsInBytes(bytes: Buffer, needle: Buffer, most: number): readonly LineHit[] {
  const hits: LineHit[] = [];
  let [line, counted] = [1, 0];
  for (let from = 0; hits.length < most && from < bytes.length;) {
    const matchStart = bytes.indexOf(needle, from);
    if (matchStart < 0) break;
    const lineStart = startOfLine(bytes, matchStart);
    const end = endOfLine(bytes, matchStart);
    const lineEnd = withoutReturn(bytes, lineStart, end);
    line += lineFeedsIn(bytes, counted, lineStart);
    counted = lineStart;
    if (matchStart + needle.length <= lineEnd) hits.push({ line, lineStart, lineEnd, matchStart });
    from = end + 1;
  }
  return hits;
}

/** What `presentHits` shows of a hit whose positions count bytes. */
export function presentHitInBytes(path: string, bytes: Buffer, hit: LineHit, context: number): SearchMatch {
  const column = decode(bytes, hit.lineStart, hit.matchStart).length;
  return presentLineInBytes({ path, bytes, context }, hit, column);
}

export interface ShownBytes {
  readonly path: string;
  readonly bytes: Buffer;
  /** How many lines to show around each. */
  readonly context: number;
}

/** The same for a match at a column of the line's text, from 0. No more is decoded than is shown. */
export function presentLineInBytes(
  { path, bytes, context }: ShownBytes,
  { line, lineStart, lineEnd }: Pick<LineHit, 'line' | 'lineStart' | 'lineEnd'>,
  column: number,
): SearchMatch {
  let start = lineStart;
  for (let lines = 0; lines < context && start > 0; lines++) start = startOfLine(bytes, start - 1);
  let end = endOfLine(bytes, lineEnd);
  for (let lines = 0; lines < context && end < bytes.length; lines++) end = endOfLine(bytes, end + 1);
  const before = decode(bytes, start, lineStart);
  const text = decode(bytes, lineStart, lineEnd);
  const decoded: LineHit = {
    line,
    lineStart: before.length,
    lineEnd: before.length + text.length,
    matchStart: before.length + column,
  };
  const whole = before + text + decode(bytes, lineEnd, end + 1);
  const [match] = presentHits(path, whole, [decoded], context);
  if (match === undefined) throw new Error('One hit is one match');
  return match;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function decode(bytes: Buffer, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

function startOfLine(bytes: Buffer, position: number): number {
  // Searching backwards from -1 would begin at the end.
  return position === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, position - 1) + 1;
}

function endOfLine(bytes: Buffer, position: number): number {
  const feed = bytes.indexOf(LINE_FEED, position);
  return feed < 0 ? bytes.length : feed;
}

function withoutReturn(bytes: Buffer, start: number, end: number): number {
  return end > start && bytes[end - 1] === RETURN ? end - 1 : end;
}

/** In front of a match in a large file this is most of the work, so it goes by four bytes at a time. */
function lineFeedsIn(bytes: Buffer, from: number, to: number): number {
  const wordsFrom = from + ((4 - ((bytes.byteOffset + from) % 4)) % 4);
  if (wordsFrom >= to) return lineFeedsOneByOne(bytes, from, to);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + wordsFrom, (to - wordsFrom) >> 2);
  let count = lineFeedsOneByOne(bytes, from, wordsFrom);
  for (let index = 0; index < words.length; index++) {
    const word = (words[index] ?? 0) ^ FOUR_LINE_FEEDS;
    // The highest bit of each byte that is zero, and no other bit.
    const zeroes = ~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word | 0x7f7f7f7f);
    if (zeroes !== 0) count += Math.imul(zeroes >>> 7, 0x01010101) >>> 24;
  }
  return count + lineFeedsOneByOne(bytes, wordsFrom + words.length * 4, to);
}

function lineFeedsOneByOne(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) if (bytes[index] === LINE_FEED) count++;
  return count;
}
