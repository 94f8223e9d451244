import type { TreeReader, TreeWriter } from '../objects.ts';
import type { ConflictStyle } from '../text/content-merge.ts';
import type { DraftBlobs } from './draft-blobs.ts';
import type { MergeConflict } from './merge-conflict.ts';
import type { MergedPath, Side } from './merged-path.ts';
import { OURS } from './merged-path.ts';

/** One merge of three trees under way. */
export interface MergeContext {
  readonly store: TreeReader & TreeWriter;
  readonly drafts: DraftBlobs;
  readonly paths: Map<string, MergedPath>;
  readonly labels: { readonly ours: string; readonly theirs: string; readonly base: string };
  readonly style: ConflictStyle;
  /**
   * How deep this merge lies below the one that was asked for: 0 for that one, more for merges of merge bases. The latter
   * have no conflicts: where sides disagree they keep the base, or a file with markers.
   */
  readonly depth: number;
  readonly conflicts: MergeConflict[];
}

export function labelOf({ labels }: MergeContext, side: Side): string {
  return side === OURS ? labels.ours : labels.theirs;
}
