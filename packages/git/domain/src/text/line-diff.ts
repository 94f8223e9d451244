import { compactGroups } from './compaction.ts';
import type { ComparedFile } from './comparison.ts';
import { markByHistogram } from './histogram.ts';
import { LineNumbering } from './lines.ts';
import { markByMyers } from './myers.ts';

/** Lines of a file before that lines of a file after stand in the place of; one of the counts may be 0. */
export interface Hunk {
  readonly beforeStart: number;
  readonly beforeCount: number;
  readonly afterStart: number;
  readonly afterCount: number;
}

export type DiffAlgorithm = 'myers' | 'histogram';

export interface LineDiffOptions {
  /** `git diff` uses Myers' unless told otherwise, `git merge` the histogram. */
  readonly algorithm: DiffAlgorithm;
  /** Slide changes to where the indentation suggests, as `git diff` does and merges do not. */
  readonly indentHeuristic: boolean;
}

/** The changes that git finds between two files, in order. Lines are compared byte for byte. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  { algorithm, indentHeuristic }: LineDiffOptions,
): readonly Hunk[] {
  const numbering = new LineNumbering();
  const files = [before, after].map((lines) => ({
    lines: numbering.numbersOf(lines),
    changed: new Uint8Array(lines.length),
  }));
  const [one, two] = files as [ComparedFile, ComparedFile];
  if (algorithm === 'histogram') markByHistogram(one, two);
  else markByMyers(one, two);
  compactGroups(one, two, indentHeuristic ? before : null);
  compactGroups(two, one, indentHeuristic ? after : null);
  return hunksOf(one.changed, two.changed);
}

function hunksOf(before: Uint8Array, after: Uint8Array): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let beforeAt = 0;
  let afterAt = 0;
  while (beforeAt < before.length || afterAt < after.length) {
    const [beforeStart, afterStart] = [beforeAt, afterAt];
    while (before[beforeAt]) beforeAt++;
    while (after[afterAt]) afterAt++;
    const beforeCount = beforeAt - beforeStart;
    const afterCount = afterAt - afterStart;
    if (beforeCount > 0 || afterCount > 0) hunks.push({ beforeStart, beforeCount, afterStart, afterCount });
    beforeAt++;
    afterAt++;
  }
  return hunks;
}
