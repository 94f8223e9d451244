import { type ConflictStyle, mergeCommits } from '@cleveragents/git-domain';
import type { MergeRequest, MergeResult, ObjectStore } from '@cleveragents/git-ports';
import type { GitConfig } from './git-config.ts';

/** See `WorktreeHost.merge`: by the rules of the domain, with the conflict markers that the user chose. */
export async function mergeByRules(
  objects: ObjectStore,
  config: GitConfig,
  { ours, theirs, fallbackBase, labels }: MergeRequest,
): Promise<MergeResult> {
  const style = conflictStyleOf(config);
  const merge = await mergeCommits(objects, { ours, theirs, fallbackBase, labels, style });
  if (merge.kind === 'up-to-date' || merge.kind === 'fast-forward') return { kind: merge.kind };
  if (merge.kind === 'clean') return { kind: 'clean', tree: merge.tree };
  if (merge.kind === 'conflicts' && merge.markedTree !== null)
    return { kind: 'conflicts', conflicts: merge.conflicts, markedTree: merge.markedTree };
  throw new Error(`a merge with a base to fall back on came out as ${merge.kind}`);
}

function conflictStyleOf(config: GitConfig): ConflictStyle {
  const style = config.get('merge.conflictstyle');
  return style === 'diff3' || style === 'zdiff3' ? style : 'merge';
}
