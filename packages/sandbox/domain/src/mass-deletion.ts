const LEAST_FILES = 20;

/**
 * Whether so much is gone that a temp cleaner is the likelier cause than the plan: more than half of at least 20 files,
 * none of them deleted in a commit or by `git rm`.
 */
export function looksLikeMassDeletion(counts: {
  readonly deletedFiles: number;
  readonly filesBefore: number;
}): boolean {
  return counts.filesBefore >= LEAST_FILES && counts.deletedFiles * 2 > counts.filesBefore;
}
