import { type ConflictStyle, mergeCommits as mergeInDomain } from '@cleveragents/git-domain';
import type { MergeRequest, MergeResult, OperationOptions } from '@cleveragents/git-ports';
import { mergeByGit } from './merge-by-git.ts';
import type { NativeRepository } from './native-repository.ts';
import { Deadline, type GitConfig } from './shared-parts.ts';

/**
 * See `WorktreeHost.merge`. The rules are those of the domain, which the other engine has too (git 2.39 calls some merges
 * clean that lose an edit), except where only git knows: drivers of the repository's own, `merge=union`, line endings to be
 * made equal first, ids of SHA-256.
 */
export async function mergeCommits(
  repository: NativeRepository,
  request: MergeRequest,
  { signal, onProgress }: OperationOptions = {},
): Promise<MergeResult> {
  const deadline = new Deadline({ timeoutMs: repository.timeoutMs, signal });
  deadline.check();
  onProgress?.({ phase: 'merge', done: 0, total: null });
  const { config, objects } = repository;
  if (repository.mergesByGit) {
    const merged = await mergeByGit(repository, request, deadline);
    if (merged !== null) return merged;
  }
  const { ours, theirs, fallbackBase, labels } = request;
  const style = conflictStyleOf(config);
  const merge = await mergeInDomain(objects, { ours, theirs, fallbackBase, labels, style });
  deadline.check();
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
