import type { ObjectId, TreeReader, TreeWriter } from '../objects.ts';
import { comparePaths } from '../paths.ts';
import { SimilarityEstimator } from '../rename/similarity.ts';
import { applyRenames } from './apply-renames.ts';
import { collectPaths } from './collect-paths.ts';
import { DraftBlobs } from './draft-blobs.ts';
import type { MergePresentation, TreeMerge } from './merge-conflict.ts';
import type { MergeContext } from './merge-context.ts';
import { OURS, THEIRS } from './merged-path.ts';
import { collectMoves } from './move-into-renamed-folders.ts';
import { resolvePaths } from './resolve-paths.ts';
import { findSideRenames } from './side-renames.ts';

export interface TreesToMerge extends MergePresentation {
  /** `null`: the sides have nothing in common. */
  readonly base: ObjectId | null;
  readonly ours: ObjectId;
  readonly theirs: ObjectId;
}

/**
 * Merges what two sides made of a base, as `git merge` does (its strategy "ort"): renames are followed, contents merged
 * line by line, modes on their own. Whenever git merges without a conflict the tree is the same; whenever git finds a
 * conflict there is one here. No work tree is touched, and no attribute or configuration asked.
 */
export async function mergeTrees(
  store: TreeReader & TreeWriter,
  { base, ours, theirs, ...presentation }: TreesToMerge,
): Promise<TreeMerge> {
  return mergeTreesAtDepth(store, { base, ours, theirs, ...presentation, depth: 0 });
}

/** @param merge.depth above 0 for a merge of merge bases. */
export async function mergeTreesAtDepth(
  store: TreeReader & TreeWriter,
  {
    base,
    ours,
    theirs,
    labels,
    style = 'merge',
    onConflict = 'mark',
    depth,
  }: TreesToMerge & { readonly depth: number },
): Promise<TreeMerge> {
  if (ours === theirs || theirs === base) return { kind: 'clean', tree: ours };
  if (ours === base) return { kind: 'clean', tree: theirs };
  const { paths, changes } = await collectPaths(store, [base, ours, theirs]);
  const {
    ours: ourLabel,
    theirs: theirLabel,
    base: baseLabel,
  } = labels ?? { ours: 'ours', theirs: 'theirs' };
  const context: MergeContext = {
    store,
    drafts: new DraftBlobs(store),
    paths,
    labels: { ours: ourLabel, theirs: theirLabel, base: baseLabel ?? 'base' },
    style,
    depth,
    conflicts: [],
  };
  const estimator = new SimilarityEstimator(store);
  const renames = {
    [OURS]: await findSideRenames(estimator, changes[OURS]),
    [THEIRS]: await findSideRenames(estimator, changes[THEIRS]),
  };
  await applyRenames(context, collectMoves(context, renames));
  const tree = await resolvePaths(context);
  const conflicts = [...context.conflicts].sort((a, b) => comparePaths(a.path, b.path));
  if (conflicts.length === 0) return { kind: 'clean', tree: await tree.write(store, context.drafts) };
  const markedTree = onConflict === 'report' ? null : await tree.write(store, context.drafts);
  return { kind: 'conflicts', conflicts, markedTree };
}
