import type { LinkedWorktree } from '@cleveragents/git-ports';
import { captureTree } from './capture.ts';
import { EngineWorktree } from './engine-worktree.ts';
import { recordCommit } from './record-commit.ts';
import { recordedIndex } from './recorded-index.ts';
import type { Repository } from './repository.ts';
import type { WorktreeContent } from './worktree-content.ts';
import type { WorktreeLayout } from './worktree-scan.ts';
import { writeFilesOf } from './write-files.ts';

export const ISOMORPHIC_CONTENT: WorktreeContent<Repository> = {
  capture: captureTree,
  writeFiles: writeFilesOf,
  record: async (repository, request) => {
    const { tree } = repository.objects.readCommitSync(request.commit);
    await recordCommit(repository, request, { bytes: () => recordedIndex(repository, tree) });
  },
};

/** @throws GitError `GIT_WORKTREE_BROKEN`. */
export function openLinkedWorktree(repository: Repository, layout: WorktreeLayout): Promise<LinkedWorktree> {
  return EngineWorktree.open(repository, layout, ISOMORPHIC_CONTENT);
}
