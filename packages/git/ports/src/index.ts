export type { BranchUpdate, BranchUpdateRequest, PathFacts } from './branch-update.ts';
export type { GitLock, LeftBehind, LostWorktree, UnfinishedOperation } from './examination.ts';
export {
  type EngineName,
  type GitEngine,
  GitEngineToken,
  type Head,
  type OpenOptions,
  type OperationInProgress,
  type RepositoryFacts,
  type UnsupportedFeature,
} from './git-engine.ts';
export { GitError, type GitErrorCode } from './git.errors.ts';
export type { CapturedTree, CaptureOptions, LinkedWorktree, WorktreeWatch } from './linked-worktree.ts';
export type { ObjectStore } from './object-store.ts';
export type { OperationOptions, Progress } from './operation-options.ts';
export type {
  FileChange,
  MergeConflictFact,
  MergeRequest,
  MergeResult,
  NewWorktree,
  RecoveryReport,
  Ref,
  RefUpdate,
  RepositoryFingerprint,
  UncommittedChange,
  WorktreeEntry,
  WorktreeHost,
  WorktreeOwner,
  WorktreeRemoval,
  WorktreeRemovalResult,
} from './worktree-host.ts';
