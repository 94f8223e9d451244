import { type ConflictStyle, mergeCommits } from '@cleveragents/git-domain';
import type { MergeRequest, MergeResult, OperationOptions } from '@cleveragents/git-ports';
import { Deadline } from './deadline.ts';
import type { GitConfig } from './git-config.ts';
import { PacedObjects } from './paced-objects.ts';
import type { Repository } from './repository.ts';

/** See `WorktreeHost.merge`. */
export async function mergeOnObjects(
  { objects, config, timeoutMs }: Repository,
  { ours, theirs, fallbackBase, labels }: MergeRequest,
  { signal, onProgress }: OperationOptions = {},
): Promise<MergeResult> {
  const deadline = new Deadline({ timeoutMs, signal });
  deadline.check();
  onProgress?.({ phase: 'merge', done: 0, total: null });
  const store = new PacedObjects(objects, deadline);
  const style = conflictStyleOf(config);
  const merge = await mergeCommits(store, { ours, theirs, fallbackBase, labels, style });
  await objects.flush();
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
