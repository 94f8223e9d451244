import type { Box, ComparedFile } from './comparison.ts';
import { roughSquareRoot } from './comparison.ts';
import { BoxSplitter } from './box-splitter.ts';

const MOST_EQUAL_LINES = 1024;
const CONTEXT_WINDOW = 100;
/** A line that is common goes the way of its neighbours when fewer than one in this many of them is common. */
const COMMON_SHARE = 4;

/**
 * Marks the lines of two files that differ, by Myers' linear-space search with the shortcuts that git takes, so that the
 * marks are the same as git's: equal ends are cut off, lines that the other file lacks (or that are very common and stand
 * among such) are put aside first, and the search gives up exactness where it gets expensive.
 */
export function markByMyers(before: ComparedFile, after: ComparedFile): void {
  const box = withoutEqualEnds(before.lines, after.lines);
  const keptBefore = keepComparable(before, after.lines, box.beforeStart, box.beforeEnd);
  const keptAfter = keepComparable(after, before.lines, box.afterStart, box.afterEnd);
  const splitter = new BoxSplitter(linesAt(before, keptBefore), linesAt(after, keptAfter));
  splitter.search({
    deleted: (at) => (before.changed[keptBefore[at] as number] = 1),
    inserted: (at) => (after.changed[keptAfter[at] as number] = 1),
  });
}

function withoutEqualEnds(before: Int32Array, after: Int32Array): Box {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return {
    beforeStart: head,
    beforeEnd: before.length - tail,
    afterStart: head,
    afterEnd: after.length - tail,
  };
}

function linesAt({ lines }: ComparedFile, positions: readonly number[]): Int32Array {
  return Int32Array.from(positions, (at) => lines[at] as number);
}

const NONE = 0;
const SOME = 1;
const MANY = 2;

/** Positions of the lines that are worth comparing; the others are marked as changed. */
function keepComparable(
  file: ComparedFile,
  other: Int32Array,
  start: number,
  end: number,
): readonly number[] {
  const occurrences = new Map<number, number>();
  for (const line of other) occurrences.set(line, (occurrences.get(line) ?? 0) + 1);
  const limit = Math.min(roughSquareRoot(file.lines.length), MOST_EQUAL_LINES);
  const kinds = new Uint8Array(file.lines.length);
  for (let at = start; at < end; at++) {
    const count = occurrences.get(file.lines[at] as number) ?? 0;
    kinds[at] = count === 0 ? NONE : count >= limit ? MANY : SOME;
  }
  const kept: number[] = [];
  for (let at = start; at < end; at++) {
    const isKept = kinds[at] === SOME || (kinds[at] === MANY && !standsAmongUnmatched(kinds, at, start, end));
    if (isKept) kept.push(at);
    else file.changed[at] = 1;
  }
  return kept;
}

function standsAmongUnmatched(kinds: Uint8Array, at: number, start: number, end: number): boolean {
  const above = runBeside(kinds, at, -1, Math.max(start, at - CONTEXT_WINDOW));
  if (above.unmatched === 0) return false;
  const below = runBeside(kinds, at, 1, Math.min(end - 1, at + CONTEXT_WINDOW));
  if (below.unmatched === 0) return false;
  const common = above.common + below.common;
  return common * COMMON_SHARE < common + above.unmatched + below.unmatched;
}

/** The lines beside `at` up to one with a few counterparts; the line itself counts as common, on both sides. */
function runBeside(
  kinds: Uint8Array,
  at: number,
  step: 1 | -1,
  last: number,
): { unmatched: number; common: number } {
  const run = { unmatched: 0, common: 1 };
  for (let next = at + step; step > 0 ? next <= last : next >= last; next += step) {
    if (kinds[next] === NONE) run.unmatched++;
    else if (kinds[next] === MANY) run.common++;
    else break;
  }
  return run;
}
