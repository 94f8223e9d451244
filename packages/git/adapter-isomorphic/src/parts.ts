/**
 * What moves branches and files safely, whichever engine reads the content: locks, journal, exchange of files, admin
 * folders, refs. For the engines of this context alone: it may change with any version.
 */
export { addWorktree, type FillWorktree } from './add-worktree.ts';
export { beginBranchUpdate } from './branch-update.ts';
export type { BranchSurvey, IndexChange, StagedFiles, SurveyWorkTree } from './branch-survey.ts';
export { decodeCommit, encodeCommit } from './commit-object.ts';
export { Deadline } from './deadline.ts';
export { type DiskLeaf, isSameLeaf, readDiskLeaf } from './disk-leaf.ts';
export { EngineHost } from './engine-host.ts';
export { EngineWorktree } from './engine-worktree.ts';
export type { Environment } from './environment.ts';
export { fileSystemError } from './file-access.ts';
export { GitConfig } from './git-config.ts';
export type { IndexFacts } from './index-facts.ts';
export { inspectedHead } from './inspected-head.ts';
export { mergeByRules } from './merge-by-rules.ts';
export { readMergeHead, unresolvedPaths } from './merge-state.ts';
export { Pace } from './pace.ts';
export { readPathFacts } from './path-facts.ts';
export { parentsOf, splitPath, withPinned } from './pinned-directory.ts';
export { inspectRepository, readOperationInProgress } from './preflight.ts';
export { reattachWorktree } from './reattach-worktree.ts';
export { recordCommit } from './record-commit.ts';
export { recover } from './recovery.ts';
export { RefStore } from './ref-store.ts';
export type { RepositoryCore } from './repository.ts';
export { findRepository, gitPath, type RepositoryLayout } from './repository-layout.ts';
export { finishRestore } from './restore.ts';
export {
  isStagingFolder,
  makeStagingFolder,
  removeStagingFolder,
  stagingFolderFor,
} from './staging-folder.ts';
export { isDirectory, isLink, lstatIfThere } from './steady-file.ts';
export type { CommitToRecord, FilesToWrite, WorktreeContent } from './worktree-content.ts';
export { WorktreeFiles } from './worktree-files.ts';
export type { WorktreeLayout } from './worktree-scan.ts';
