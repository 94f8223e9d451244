import { CodedError, type ErrorDetails } from '@cleveragents/shared-kernel';

/**
 * What a git engine refuses or meets. Unless the code says otherwise, nothing has changed when one is thrown.
 *
 * - `GIT_NOT_A_REPOSITORY`: the directory lies in no repository.
 * - `GIT_UNSUPPORTED_REPOSITORY`: `data.features` names what this engine cannot do; found before anything was touched.
 * - `GIT_REF_MOVED`: a ref does not stand where the caller expected it; `data.ref`, `data.expected`, `data.actual`.
 * - `GIT_REF_EXISTS`, `GIT_REF_BLOCKED`: the ref is there already; another ref is a prefix of it, or it of another.
 * - `GIT_LOCKED`: a lock of git's or ours is held by somebody else until the timeout; `data.path`, `data.owner`.
 * - `GIT_IDENTITY_MISSING`: no author name or e-mail in environment or config.
 * - `GIT_WORKTREE_BROKEN`: a linked worktree's `.git` no longer points to its admin folder, or either is missing.
 * - `GIT_WORKTREE_IN_USE`: the path or name of a new worktree is taken.
 * - `GIT_TARGET_CHANGED`: a file changed between the check and its replacement; everything was put back; `data.paths`.
 * - `GIT_WORKTREE_MOVING`: somebody writes into a worktree while it is captured; `data.paths`.
 * - `GIT_NESTED_REPOSITORY`, `GIT_SPECIAL_FILE`: a worktree holds what no tree can; `data.paths`.
 * - `GIT_OBJECT_MISSING`, `GIT_CORRUPT`: the repository is damaged; `data` says where.
 * - `GIT_TIMEOUT`, `GIT_ABORTED`: the deadline passed, or the caller's signal fired; what was begun was undone.
 * - `GIT_RECOVERY_BLOCKED`: a half-done update was found whose branch stands elsewhere now; nothing was changed.
 * - `GIT_CONFIG_UNCHANGED`: a configuration file is written so that one setting alone cannot be changed; `data.file`.
 * - `GIT_FAILED`: an installed git that an engine runs refused or broke; `data.args`, `data.exitCode`, `data.stderr`.
 * - `GIT_SIGNING_FAILED`: commits must be signed here, and the program that signs refused; `data.stderr`.
 * - `GIT_HOOK_FAILED`: hooks were asked for, and one refused; `data.hook`, `data.stderr`.
 * - `GIT_FILE_SYSTEM`: the operating system refused (full disk, permission); what was begun was undone; see `cause`.
 */
export type GitErrorCode =
  | 'GIT_NOT_A_REPOSITORY'
  | 'GIT_UNSUPPORTED_REPOSITORY'
  | 'GIT_REF_MOVED'
  | 'GIT_REF_EXISTS'
  | 'GIT_REF_BLOCKED'
  | 'GIT_LOCKED'
  | 'GIT_IDENTITY_MISSING'
  | 'GIT_WORKTREE_BROKEN'
  | 'GIT_WORKTREE_IN_USE'
  | 'GIT_TARGET_CHANGED'
  | 'GIT_WORKTREE_MOVING'
  | 'GIT_NESTED_REPOSITORY'
  | 'GIT_SPECIAL_FILE'
  | 'GIT_OBJECT_MISSING'
  | 'GIT_CORRUPT'
  | 'GIT_CONFIG_UNCHANGED'
  | 'GIT_TIMEOUT'
  | 'GIT_ABORTED'
  | 'GIT_RECOVERY_BLOCKED'
  | 'GIT_FAILED'
  | 'GIT_SIGNING_FAILED'
  | 'GIT_HOOK_FAILED'
  | 'GIT_FILE_SYSTEM';

export class GitError extends CodedError<GitErrorCode> {
  constructor(code: GitErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details);
  }
}
