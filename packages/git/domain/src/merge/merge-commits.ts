import { CommitGraph } from '../history/commit-graph.ts';
import { mergeBasesIn } from '../history/merge-base.ts';
import {
  type CommitReader,
  EMPTY_TREE_ID,
  type ObjectId,
  type TreeReader,
  type TreeWriter,
} from '../objects.ts';
import type { MergeLabels, MergePresentation, TreeMerge } from './merge-conflict.ts';
import { mergeTreesAtDepth } from './merge-trees.ts';

export interface CommitsToMerge extends MergePresentation {
  readonly ours: ObjectId;
  readonly theirs: ObjectId;
  /** The commit to take for the merge base when the histories have none in common. */
  readonly fallbackBase?: ObjectId;
}

export type CommitMerge =
  | (TreeMerge & {
      /** Newest first; several were merged into one that is written nowhere. */
      readonly mergeBases: readonly ObjectId[];
    })
  /** `theirs` has everything that `ours` has: `ours` can move there. */
  | { readonly kind: 'fast-forward'; readonly commit: ObjectId; readonly tree: ObjectId }
  /** `ours` has everything that `theirs` has. */
  | { readonly kind: 'up-to-date' }
  /** No common history and no `fallbackBase`. */
  | { readonly kind: 'unrelated' };

type Store = TreeReader & TreeWriter & CommitReader;

/**
 * Merges two commits as `git merge` does. Where they have several merge bases (branches merged both ways) those are merged
 * first, and so on down; objects of these inner merges are written even if the outer one has conflicts.
 */
export async function mergeCommits(store: Store, request: CommitsToMerge): Promise<CommitMerge> {
  const { ours, theirs, fallbackBase, ...presentation } = request;
  const graph = new CommitGraph(store);
  const found = await mergeBasesIn(graph, ours, theirs);
  if (found.includes(theirs)) return { kind: 'up-to-date' };
  if (found.includes(ours)) return { kind: 'fast-forward', commit: theirs, tree: await graph.treeOf(theirs) };
  const mergeBases = found.length > 0 || fallbackBase === undefined ? found : [fallbackBase];
  if (mergeBases.length === 0) return { kind: 'unrelated' };
  const merge = await mergeOver(store, graph, { ours, theirs, mergeBases, presentation, depth: 0 });
  return { ...merge, mergeBases };
}

interface Merge {
  readonly ours: ObjectId;
  readonly theirs: ObjectId;
  readonly mergeBases: readonly ObjectId[];
  readonly presentation: MergePresentation;
  readonly depth: number;
}

async function mergeOver(
  store: Store,
  graph: CommitGraph,
  { ours, theirs, mergeBases, presentation, depth }: Merge,
): Promise<TreeMerge> {
  const [oldest, ...newer] = [...mergeBases].reverse();
  let base = oldest ?? null;
  for (const next of newer)
    base = await mergeOfBases(store, graph, [base as ObjectId, next], { presentation, depth: depth + 1 });
  const { labels = { ours: 'ours', theirs: 'theirs' } } = presentation;
  return mergeTreesAtDepth(store, {
    ...presentation,
    base: base === null ? EMPTY_TREE_ID : await graph.treeOf(base),
    ours: await graph.treeOf(ours),
    theirs: await graph.treeOf(theirs),
    labels: { ...labels, base: labels.base ?? nameOfBase(mergeBases) },
    depth,
  });
}

function nameOfBase([first, ...others]: readonly ObjectId[]): string {
  if (first === undefined) return 'empty tree';
  return others.length > 0 ? 'merged common ancestors' : first.slice(0, 7);
}

const INNER_LABELS: MergeLabels = { ours: 'Temporary merge branch 1', theirs: 'Temporary merge branch 2' };

async function mergeOfBases(
  store: Store,
  graph: CommitGraph,
  [one, two]: readonly [ObjectId, ObjectId],
  { presentation: outer, depth }: Pick<Merge, 'presentation' | 'depth'>,
): Promise<ObjectId> {
  const mergeBases = await mergeBasesIn(graph, one, two);
  const presentation: MergePresentation = { ...outer, labels: INNER_LABELS, onConflict: 'mark' };
  const merge = await mergeOver(store, graph, { ours: one, theirs: two, mergeBases, presentation, depth });
  const tree = merge.kind === 'clean' ? merge.tree : merge.markedTree;
  if (tree === null) throw new Error('a merge of merge bases always has a tree');
  return graph.addVirtual(tree, [one, two]);
}
