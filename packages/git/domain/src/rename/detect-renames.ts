import type { TreeReader } from '../objects.ts';
import { comparePaths } from '../paths.ts';
import type { TreeChange } from '../tree-diff.ts';
import { type RenameCandidate, RenameMatcher } from './rename-matcher.ts';
import { SAME, SimilarityEstimator } from './similarity.ts';

/** A change that knows where the file was before. For a rename `before` is the file at its old path. */
export interface FileChange extends TreeChange {
  /** `null`: the path is the same before and after, or exists only on one side. */
  readonly renamedFrom: string | null;
  /** Share of the content that stayed the same, in whole percent rounded down; 100 only for equal content or nearly so. */
  readonly similarity: number | null;
}

export interface RenameOptions {
  /** Pair only files of equal content; reads no file. */
  readonly exactOnly?: boolean;
  /** Most sources times targets to compare, as the side of a square: 1000 unless given, as in git. */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 1000;

/** Turns pairs of a deletion and an addition into renames where `git diff -M` does; sorted by path. */
export async function detectRenames(
  reader: Pick<TreeReader, 'readBlob'>,
  changes: readonly TreeChange[],
  { exactOnly = false, limit = DEFAULT_LIMIT }: RenameOptions = {},
): Promise<readonly FileChange[]> {
  const sources = changes.flatMap(({ path, before, after }): RenameCandidate[] =>
    before !== null && after === null ? [{ path, leaf: before }] : [],
  );
  const targets = changes.flatMap(({ path, before, after }): RenameCandidate[] =>
    before === null && after !== null ? [{ path, leaf: after }] : [],
  );
  const matcher = new RenameMatcher(new SimilarityEstimator(reader), sources, targets);
  matcher.matchExactly();
  if (!exactOnly) {
    await matcher.matchByName(null);
    await matcher.matchBySimilarity(limit);
  }
  return annotate(changes, matcher);
}

function annotate(changes: readonly TreeChange[], matcher: RenameMatcher): readonly FileChange[] {
  const { pairs } = matcher;
  const sources = new Set(pairs.map(({ source }) => source.path));
  const targets = new Set(pairs.map(({ target }) => target.path));
  const others = changes
    .filter(
      ({ path, before, after }) =>
        !(after === null ? sources.has(path) : before === null && targets.has(path)),
    )
    .map((change) => ({ ...change, renamedFrom: null, similarity: null }));
  const renames = pairs.map(({ source, target, score }) => ({
    path: target.path,
    before: source.leaf,
    after: target.leaf,
    renamedFrom: source.path,
    similarity: Math.floor((score * 100) / SAME),
  }));
  return [...others, ...renames].sort((a, b) => comparePaths(a.path, b.path));
}
