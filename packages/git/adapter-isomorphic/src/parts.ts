/**
 * What moves branches and files safely, whichever engine reads the content: locks, journal, exchange of files, admin
 * folders, refs. For the engines of this context alone: it may change with any version.
 */
export { addWorktree, type FillWorktree } from './add-worktree.ts';
export { adminPointsTo, pointsTo } from './admin-folder.ts';
export { beginBranchUpdate } from './branch-update.ts';
export type {
  BranchSurvey,
  EngineRecovery,
  IndexChange,
  StagedFiles,
  SurveyWorkTree,
} from './branch-survey.ts';
export { decodeCommit, encodeCommit } from './commit-object.ts';
export { Deadline } from './deadline.ts';
export { type DiskLeaf, isSameLeaf, readDiskLeaf } from './disk-leaf.ts';
export type { Environment } from './environment.ts';
export { examine } from './examine.ts';
export { fileSystemError, readTextIfThere } from './file-access.ts';
export { readFingerprint } from './fingerprint.ts';
export { GitConfig } from './git-config.ts';
export { Holds } from './held-lock.ts';
export { listCommits } from './history.ts';
export { type Identity, readIdentity } from './identity.ts';
export type { IndexFacts } from './index-facts.ts';
export { acquireLockFile, type LockFile } from './lock-file.ts';
export { endOperations, readMergeHead, unresolvedPaths, writeMergeState } from './merge-state.ts';
export { OperationJournal } from './operation-journal.ts';
export { Pace } from './pace.ts';
export { readPathFacts } from './path-facts.ts';
export { parentsOf, splitPath, withPinned } from './pinned-directory.ts';
export { inspectRepository, readOperationInProgress } from './preflight.ts';
export { reattachWorktree } from './reattach-worktree.ts';
export { recover } from './recovery.ts';
export { RefStore } from './ref-store.ts';
export { removeWorktree } from './remove-worktree.ts';
export type { RepositoryCore } from './repository.ts';
export { findRepository, gitPath, type RepositoryLayout } from './repository-layout.ts';
export { restoreSetting } from './restore-setting.ts';
export {
  isStagingFolder,
  makeStagingFolder,
  removeStagingFolder,
  stagingFolderFor,
} from './staging-folder.ts';
export { isDirectory, isLink, lstatIfThere } from './steady-file.ts';
export { compareTrees, formatPatch } from './tree-comparison.ts';
export { WorktreeFiles } from './worktree-files.ts';
export { listWorktrees } from './worktree-admin.ts';
export type { WorktreeLayout } from './worktree-scan.ts';
