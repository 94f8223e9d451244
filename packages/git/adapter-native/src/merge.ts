import type { MergeRequest, MergeResult, OperationOptions } from '@cleveragents/git-ports';
import { mergeByGit } from './merge-by-git.ts';
import type { NativeRepository } from './native-repository.ts';
import { Deadline, mergeByRules } from './shared-parts.ts';

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
  if (repository.mergesByGit) {
    const merged = await mergeByGit(repository, request, deadline);
    if (merged !== null) return merged;
  }
  const result = await mergeByRules(repository.objects, repository.config, request);
  deadline.check();
  return result;
}
