export interface SearchLimits {
  /** For one search, from its call to its answer. */
  readonly deadlineMs: number;
  /** Larger files are left out. */
  readonly maxFileBytes: number;
  readonly maxEntries: number;
  readonly maxDepth: number;
}

export const DEFAULT_SEARCH_LIMITS: SearchLimits = {
  deadlineMs: 10_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxEntries: 1_000_000,
  maxDepth: 64,
};
