import { parseObjectId } from '../objects.ts';
import { nameOf, type RenameCandidate, RenameMatcher, type RenamePair } from '../rename/rename-matcher.ts';
import type { SimilarityEstimator } from '../rename/similarity.ts';
import type { SideChanges } from './collected-paths.ts';
import { FolderRenameCounts } from './folder-renames.ts';
import { parentOf } from './merged-path.ts';

/** As in git: a merge looks further than a diff. */
const MERGE_LIMIT = 7000;
const EMPTY_BLOB_ID = parseObjectId('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');

/** Where one side moved files and directories of the base. */
export interface SideRenames {
  /** By the path of the target. */
  readonly pairs: ReadonlyMap<string, RenamePair>;
  readonly added: readonly RenameCandidate[];
  /** Directories: from the old path to the new one, `null` where it cannot be told. */
  readonly folders: ReadonlyMap<string, string | null>;
}

/** Looks for the renames of one side that matter to the merge; if none can, it reads no file. */
export async function findSideRenames(
  estimator: SimilarityEstimator,
  changes: SideChanges,
): Promise<SideRenames> {
  const { gone, added, relevantSources } = changes;
  if (relevantSources.size === 0) return { pairs: new Map(), added, folders: new Map() };
  const isNotEmpty = ({ leaf }: RenameCandidate): boolean => leaf.id !== EMPTY_BLOB_ID;
  const [sources, targets] = [gone.filter(isNotEmpty), added.filter(isNotEmpty)];
  const counts = new FolderRenameCounts(changes);
  if (sources.length === 0 || targets.length === 0) return { pairs: new Map(), added, folders: new Map() };
  const matcher = new RenameMatcher(estimator, sources, targets);
  await match(matcher, changes, counts);
  const pairs = new Map(matcher.pairs.map((pair) => [pair.target.path, pair]));
  return { pairs, added, folders: counts.renames() };
}

async function match(
  matcher: RenameMatcher,
  { relevantSources }: SideChanges,
  counts: FolderRenameCounts,
): Promise<void> {
  const count = ({ source, target }: RenamePair): void => counts.add(source.path, target.path);
  const isRelevant = ({ path }: RenameCandidate): boolean => relevantSources.has(path);
  matcher.matchExactly();
  matcher.pairs.forEach(count);
  const guesses = counts.guesses();
  await matcher.matchByName({
    isRelevant,
    guess: ({ path }) => {
      const folder = guesses.get(parentOf(path));
      return folder === undefined ? null : `${folder}/${nameOf(path)}`;
    },
    found: count,
  });
  matcher.keepSources(isRelevant);
  matcher.keepSources(counts.settle(matcher.sources, relevantSources));
  (await matcher.matchBySimilarity(MERGE_LIMIT)).forEach(count);
}
