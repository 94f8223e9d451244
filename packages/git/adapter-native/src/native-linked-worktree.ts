import type { LinkedWorktree } from '@cleveragents/git-ports';
import { captureTree } from './capture.ts';
import type { NativeRepository } from './native-repository.ts';
import { recordCommit } from './record-commit.ts';
import { EngineWorktree, type WorktreeContent, type WorktreeLayout } from './shared-parts.ts';
import { writeFilesOf } from './write-files.ts';

export const NATIVE_CONTENT: WorktreeContent<NativeRepository> = {
  capture: captureTree,
  writeFiles: writeFilesOf,
  record: recordCommit,
};

/** @throws GitError `GIT_WORKTREE_BROKEN`. */
export function openLinkedWorktree(
  repository: NativeRepository,
  layout: WorktreeLayout,
): Promise<LinkedWorktree> {
  return EngineWorktree.open(repository, layout, NATIVE_CONTENT);
}
