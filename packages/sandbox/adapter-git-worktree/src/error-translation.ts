import { GitError, type GitErrorCode } from '@cleveragents/git-ports';
import {
  SandboxCommitError,
  SandboxCreationError,
  SandboxError,
  type SandboxErrorCode,
  SandboxRollbackError,
} from '@cleveragents/sandbox-domain';
import { type ErrorDetails, hasCode, messageOf } from '@cleveragents/shared-kernel';

type Call = 'create' | 'commit' | 'rollback' | 'cleanup' | 'inspect';

const ERROR_CLASSES: Readonly<Record<Call, typeof SandboxError>> = {
  create: SandboxCreationError,
  commit: SandboxCommitError,
  rollback: SandboxRollbackError,
  cleanup: SandboxError,
  inspect: SandboxError,
};

const FALLBACK_CODES: Readonly<Record<Call, SandboxErrorCode>> = {
  create: 'SANDBOX_CREATION_FAILED',
  commit: 'SANDBOX_COMMIT_FAILED',
  rollback: 'SANDBOX_ROLLBACK_FAILED',
  cleanup: 'SANDBOX_CLEANUP_FAILED',
  inspect: 'SANDBOX_READ_FAILED',
};

const CODES: Readonly<Partial<Record<GitErrorCode, SandboxErrorCode>>> = {
  GIT_NOT_A_REPOSITORY: 'SANDBOX_NOT_A_REPOSITORY',
  GIT_UNSUPPORTED_REPOSITORY: 'SANDBOX_UNSUPPORTED_REPOSITORY',
  GIT_REF_EXISTS: 'SANDBOX_BRANCH_EXISTS',
  GIT_REF_BLOCKED: 'SANDBOX_BRANCH_BLOCKED',
  GIT_REF_MOVED: 'SANDBOX_TARGET_MOVED',
  GIT_LOCKED: 'SANDBOX_LOCKED',
  GIT_IDENTITY_MISSING: 'SANDBOX_IDENTITY_MISSING',
  GIT_WORKTREE_BROKEN: 'SANDBOX_BROKEN',
  GIT_TARGET_CHANGED: 'SANDBOX_TARGET_DIRTY',
  GIT_WORKTREE_MOVING: 'SANDBOX_WORKTREE_MOVING',
  GIT_TIMEOUT: 'SANDBOX_TIMEOUT',
  GIT_ABORTED: 'SANDBOX_ABORTED',
  GIT_RECOVERY_BLOCKED: 'SANDBOX_RECOVERY_BLOCKED',
};

const HINTS: Readonly<Partial<Record<SandboxErrorCode, string>>> = {
  SANDBOX_BROKEN:
    'The sandbox was moved or its git files were changed. `cleveragents plan cleanup` saves what git can still reach.',
  SANDBOX_WORKTREE_MOVING: 'Stop the process that still writes into the sandbox, then try again.',
  SANDBOX_LOCKED: 'Wait for the other process. If none is running, remove the lock that the message names.',
  SANDBOX_TIMEOUT: 'Try again with a longer timeout (`--timeout SECONDS`).',
};

const LET_THE_SYSTEM = 'See to what the system complains about (disk space, permissions), then try again.';

/**
 * Says in the sandbox's words what a git engine, a lock of ours or the operating system refused. Other errors pass
 * through.
 */
export function translateError(error: unknown, call: Call): unknown {
  if (isGitError(error)) {
    const code = CODES[error.code] ?? FALLBACK_CODES[call];
    return new ERROR_CLASSES[call](code, error.message, {
      hint: error.hint ?? HINTS[code] ?? LET_THE_SYSTEM,
      data: { ...error.data, gitCode: error.code },
      cause: error,
    });
  }
  const code = sharedCode(error) ?? (isSystemError(error) ? FALLBACK_CODES[call] : null);
  if (code === null) return error;
  const { hint = LET_THE_SYSTEM, data } = error as ErrorDetails;
  return new ERROR_CLASSES[call](code, messageOf(error), {
    hint,
    data: { ...data, systemCode: (error as { code?: string }).code },
    cause: error,
  });
}

/** Runs `work`; what a git engine, a lock or the system refuses is thrown in the sandbox's words. */
export async function translating<T>(call: Call, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(error, call);
  }
}

function isGitError(error: unknown): error is GitError {
  return (
    error instanceof GitError ||
    (error instanceof Error && /^GIT_/.test((error as { code?: string }).code ?? ''))
  );
}

function sharedCode(error: unknown): SandboxErrorCode | null {
  if (hasCode(error, 'LOCK_TIMEOUT', 'LOCK_LOST')) return 'SANDBOX_LOCKED';
  return hasCode(error, 'JOURNAL_DAMAGED') ? 'SANDBOX_RECOVERY_BLOCKED' : null;
}

function isSystemError(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(String((error as { code?: unknown } | null)?.code));
}

/** Whether a git engine threw one of `codes`. */
export function isGitRefusal(error: unknown, ...codes: readonly GitErrorCode[]): boolean {
  return hasCode(error, ...codes);
}
