/** A line that matches, as positions in the text of its file. */
export interface LineHit {
  /** From 1. */
  readonly line: number;
  readonly lineStart: number;
  /** Without the line's ending. */
  readonly lineEnd: number;
  readonly matchStart: number;
}

export interface SearchMatch {
  readonly path: string;
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

const BINARY_WINDOW_BYTES = 8192;
const LONGEST_TEXT = 1000;

/** Whether a file is taken for binary: a NUL near its beginning, and no UTF-16 mark that would explain it. */
export function looksBinary(bytes: Uint8Array): boolean {
  return utf16MarkOf(bytes) === undefined && bytes.subarray(0, BINARY_WINDOW_BYTES).includes(0);
}

/**
 * The text of a file for searching: by its mark, else as UTF-8. What is not valid becomes U+FFFD, because to find a line
 * beside a broken one is of use; nothing is ever written from such a text.
 */
export function searchableText(bytes: Uint8Array): string {
  return new TextDecoder(utf16MarkOf(bytes) ?? 'utf-8').decode(bytes);
}

function utf16MarkOf(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

/** The lines that hold `literal`, the first `most` of them. Lines end at line feeds; a carriage return before one is no part. */
export function literalHits(text: string, literal: string, most: number): readonly LineHit[] {
  const hits: LineHit[] = [];
  let [line, counted] = [1, 0];
  for (let from = 0; hits.length < most;) {
    const matchStart = text.indexOf(literal, from);
    if (matchStart < 0) break;
    // Searching backwards from -1 would begin at 0 and find a line feed there.
    const lineStart = matchStart === 0 ? 0 : text.lastIndexOf('\n', matchStart - 1) + 1;
    const { lineEnd, next } = endOfLine(text, matchStart);
    line += lineFeedsIn(text, counted, lineStart);
    counted = lineStart;
    if (matchStart + literal.length <= lineEnd) hits.push({ line, lineStart, lineEnd, matchStart });
    from = next;
  }
  return hits;
}

function endOfLine(text: string, from: number): { readonly lineEnd: number; readonly next: number } {
  const feed = text.indexOf('\n', from);
  const end = feed < 0 ? text.length : feed;
  return { lineEnd: text[end - 1] === '\r' ? end - 1 : end, next: end + 1 };
}

function lineFeedsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let index = text.indexOf('\n', from); index >= 0 && index < to; index = text.indexOf('\n', index + 1))
    count++;
  return count;
}

/** What the caller sees of hits in one file. */
export function presentHits(
  path: string,
  text: string,
  hits: readonly LineHit[],
  context: number,
): readonly SearchMatch[] {
  return hits.map(({ line, lineStart, lineEnd, matchStart }) => ({
    path,
    line,
    column: matchStart - lineStart + 1,
    text: excerpt(text, lineStart, lineEnd, matchStart),
    ...(context > 0 && {
      before: linesBefore(text, lineStart, context),
      after: linesAfter(text, lineEnd, context),
    }),
  }));
}

function excerpt(text: string, lineStart: number, lineEnd: number, matchStart: number): string {
  if (lineEnd - lineStart <= LONGEST_TEXT) return text.slice(lineStart, lineEnd);
  const start = Math.max(lineStart, Math.min(matchStart - LONGEST_TEXT / 4, lineEnd - LONGEST_TEXT));
  return text.slice(start, start + LONGEST_TEXT).toWellFormed();
}

function linesBefore(text: string, lineStart: number, most: number): readonly string[] {
  const lines: string[] = [];
  for (let end = lineStart - 1; end >= 0 && lines.length < most;) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    lines.unshift(plainLine(text, start, end));
    end = start - 1;
  }
  return lines;
}

function linesAfter(text: string, lineEnd: number, most: number): readonly string[] {
  const lines: string[] = [];
  const feed = text.indexOf('\n', lineEnd);
  for (let start = feed + 1; feed >= 0 && start < text.length && lines.length < most;) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    lines.push(plainLine(text, start, end));
    start = end + 1;
  }
  return lines;
}

function plainLine(text: string, start: number, end: number): string {
  const stop = end > start && text[end - 1] === '\r' ? end - 1 : end;
  return excerpt(text, start, stop, start);
}
