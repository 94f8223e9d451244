import { CodedError, type ErrorDetails } from '@cleveragents/shared-kernel';

/** Why a sandbox could not be made. Nothing of it is left behind. */
export type SandboxCreationCode =
  | 'SANDBOX_NOT_A_REPOSITORY'
  | 'SANDBOX_NOT_REPOSITORY_ROOT'
  | 'SANDBOX_BARE_REPOSITORY'
  | 'SANDBOX_NO_COMMIT'
  | 'SANDBOX_BRANCH_EXISTS'
  | 'SANDBOX_BRANCH_BLOCKED'
  | 'SANDBOX_OPERATION_IN_PROGRESS'
  | 'SANDBOX_UNSUPPORTED_REPOSITORY'
  | 'SANDBOX_SOURCE_MISSING'
  | 'SANDBOX_UNSUPPORTED_FILES'
  | 'SANDBOX_CREATION_FAILED';

/** Why a sandbox could not be committed or refreshed. It stays active and nothing has changed. */
export type SandboxCommitCode =
  | 'SANDBOX_MERGE_CONFLICT'
  | 'SANDBOX_TARGET_DIRTY'
  | 'SANDBOX_TARGET_MOVED'
  | 'SANDBOX_NO_TARGET'
  | 'SANDBOX_WORKTREE_MOVING'
  | 'SANDBOX_MASS_DELETION'
  | 'SANDBOX_UNRESOLVED_CONFLICTS'
  | 'SANDBOX_IDENTITY_MISSING'
  | 'SANDBOX_COMMIT_FAILED';

/** Why a sandbox could not be rolled back. Nothing has changed. */
export type SandboxRollbackCode = 'SANDBOX_BRANCH_MOVED' | 'SANDBOX_ROLLBACK_FAILED';

export type SandboxErrorCode =
  | SandboxCreationCode
  | SandboxCommitCode
  | SandboxRollbackCode
  | 'SANDBOX_INVALID_STATE'
  | 'SANDBOX_BROKEN'
  | 'SANDBOX_READ_FAILED'
  | 'SANDBOX_LOCKED'
  | 'SANDBOX_TIMEOUT'
  | 'SANDBOX_ABORTED'
  | 'SANDBOX_RECOVERY_BLOCKED'
  | 'SANDBOX_CLEANUP_FAILED';

/** Base of everything that a sandbox refuses. Unless its docstring says otherwise, the sandbox and the original are as they were. */
export class SandboxError extends CodedError<SandboxErrorCode> {
  constructor(code: SandboxErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details);
  }
}

export class SandboxCreationError extends SandboxError {}

export class SandboxCommitError extends SandboxError {}

export class SandboxRollbackError extends SandboxError {}

/** The call is not allowed in the sandbox's present state. */
export class SandboxStateError extends SandboxError {
  constructor(message: string, details?: ErrorDetails) {
    super('SANDBOX_INVALID_STATE', message, details);
  }
}

/** For a call on a project that was moved or removed. */
export function sandboxSourceMissing(originalPath: string, cause: unknown): SandboxError {
  return new SandboxError('SANDBOX_SOURCE_MISSING', `There is no project at ${originalPath} any more`, {
    hint: 'Move it back there to go on.',
    data: { originalPath },
    cause,
  });
}
