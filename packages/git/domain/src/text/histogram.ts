import type { Box, ComparedFile } from './comparison.ts';
import { markByMyers } from './myers.ts';

/** A line that stands in a part more often than this tells nothing. */
const MOST_OCCURRENCES = 64;

/** Equal lines of both files; the ends are included. */
interface Common {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/**
 * Marks the lines of two files that differ as git's histogram algorithm does, which its merge uses: cuts both files at the
 * longest run of equal lines that holds the rarest line, and goes on in the parts before and behind it.
 */
export function markByHistogram(before: ComparedFile, after: ComparedFile): void {
  const boxes: Box[] = [
    { beforeStart: 0, beforeEnd: before.lines.length, afterStart: 0, afterEnd: after.lines.length },
  ];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    if (box.beforeStart === box.beforeEnd || box.afterStart === box.afterEnd) {
      markAll(before, after, box);
      continue;
    }
    const search = new RareRunSearch(before.lines, after.lines, box);
    const common = search.run();
    if (common !== null)
      boxes.push(
        { ...box, beforeEnd: common.beforeStart, afterEnd: common.afterStart },
        { ...box, beforeStart: common.beforeEnd + 1, afterStart: common.afterEnd + 1 },
      );
    else if (search.hasCommonLines) markPartByMyers(before, after, box);
    else markAll(before, after, box);
  }
}

function markAll(before: ComparedFile, after: ComparedFile, box: Box): void {
  before.changed.fill(1, box.beforeStart, box.beforeEnd);
  after.changed.fill(1, box.afterStart, box.afterEnd);
}

function markPartByMyers(before: ComparedFile, after: ComparedFile, box: Box): void {
  markByMyers(part(before, box.beforeStart, box.beforeEnd), part(after, box.afterStart, box.afterEnd));
}

function part({ lines, changed }: ComparedFile, start: number, end: number): ComparedFile {
  return { lines: lines.subarray(start, end), changed: changed.subarray(start, end) };
}

class RareRunSearch {
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  readonly #box: Box;
  /** Positions of each line in the part of the file before, ascending. */
  readonly #positions = new Map<number, number[]>();
  /** How often the rarest line of the best run stands in the file before. */
  #rarity = MOST_OCCURRENCES + 1;
  #best: Common | null = null;
  hasCommonLines = false;

  constructor(before: Int32Array, after: Int32Array, box: Box) {
    this.#before = before;
    this.#after = after;
    this.#box = box;
    for (let at = box.beforeStart; at < box.beforeEnd; at++) {
      const line = before[at] as number;
      const positions = this.#positions.get(line);
      if (positions) positions.push(at);
      else this.#positions.set(line, [at]);
    }
  }

  /** `null` when no run of equal lines holds a line that is rare enough. */
  run(): Common | null {
    for (let at = this.#box.afterStart; at < this.#box.afterEnd;) at = this.#tryLine(at);
    return this.#rarity > MOST_OCCURRENCES ? null : this.#best;
  }

  /** Looks at the runs through one line of the file after; gives the next line that no run has covered yet. */
  #tryLine(after: number): number {
    let next = after + 1;
    const positions = this.#positions.get(this.#after[after] as number);
    if (positions === undefined) return next;
    this.hasCommonLines = true;
    if (positions.length > this.#rarity) return next;
    let covered = -1;
    for (const before of positions) {
      if (before <= covered) continue;
      const { run, rarity } = this.#extend(before, after, positions.length);
      next = Math.max(next, run.afterEnd + 1);
      if (this.#isBetter(run, rarity)) {
        this.#best = run;
        this.#rarity = rarity;
      }
      covered = run.beforeEnd;
    }
    return next;
  }

  #isBetter(run: Common, rarity: number): boolean {
    const longest = this.#best === null ? 0 : this.#best.beforeEnd - this.#best.beforeStart;
    return longest < run.beforeEnd - run.beforeStart || rarity < this.#rarity;
  }

  #extend(before: number, after: number, occurrences: number): { run: Common; rarity: number } {
    const box = this.#box;
    let rarity = occurrences;
    const consider = (at: number): void => {
      rarity = Math.min(rarity, this.#positions.get(this.#before[at] as number)?.length ?? rarity);
    };
    let up = 0;
    while (
      before - up > box.beforeStart &&
      after - up > box.afterStart &&
      this.#before[before - up - 1] === this.#after[after - up - 1]
    )
      consider(before - ++up);
    let down = 0;
    while (
      before + down < box.beforeEnd - 1 &&
      after + down < box.afterEnd - 1 &&
      this.#before[before + down + 1] === this.#after[after + down + 1]
    )
      consider(before + ++down);
    const run = {
      beforeStart: before - up,
      beforeEnd: before + down,
      afterStart: after - up,
      afterEnd: after + down,
    };
    return { run, rarity };
  }
}
