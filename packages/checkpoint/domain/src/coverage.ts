/** Why a snapshot does not hold a path. */
export const UNCOVERED_REASONS = [
  'ignored',
  'over-size-limit',
  'unreadable',
  'nested-repository',
  'special-file',
  'name-not-utf8',
  'still-changing',
] as const;
export type UncoveredReason = (typeof UNCOVERED_REASONS)[number];

/** A path that a snapshot does not hold. A directory stands for everything below it. */
export interface Uncovered {
  /** Relative to the root, POSIX. Bytes that are no UTF-8 are written `\xff`. */
  readonly path: string;
  readonly reason: UncoveredReason;
}

/** What a snapshot holds, and what it does not. */
export interface Coverage {
  /** Files and links. */
  readonly fileCount: number;
  /** Sorted by path; at most {@link LISTED_UNCOVERED} of them in a checkpoint's record, all of them in its store. */
  readonly uncovered: readonly Uncovered[];
  /** How many there are, listed or not. */
  readonly uncoveredCount: number;
}

export const LISTED_UNCOVERED = 1000;

/** What a record keeps: a tree with a million ignored files must not make every list of checkpoints slow. */
export function summaryOfCoverage(fileCount: number, uncovered: readonly Uncovered[]): Coverage {
  return { fileCount, uncovered: uncovered.slice(0, LISTED_UNCOVERED), uncoveredCount: uncovered.length };
}
