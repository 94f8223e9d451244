import {
  SandboxCommitError,
  SandboxCreationError,
  SandboxError,
  type SandboxErrorCode,
  SandboxRollbackError,
} from '@cleveragents/sandbox-domain';
import { hasCode, messageOf, type ErrorDetails } from '@cleveragents/shared-kernel';
import { WrongBytes } from './change-folder.ts';
import { FileMoving } from './file-bytes.ts';

export type Call = 'create' | 'commit' | 'rollback' | 'cleanup' | 'inspect';

const REFUSALS: Readonly<Record<Call, readonly [typeof SandboxError, SandboxErrorCode]>> = {
  create: [SandboxCreationError, 'SANDBOX_CREATION_FAILED'],
  commit: [SandboxCommitError, 'SANDBOX_COMMIT_FAILED'],
  rollback: [SandboxRollbackError, 'SANDBOX_ROLLBACK_FAILED'],
  cleanup: [SandboxError, 'SANDBOX_CLEANUP_FAILED'],
  inspect: [SandboxError, 'SANDBOX_READ_FAILED'],
};

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free space, then try again.',
  EDQUOT: 'Your quota on that disk is used up: free space, then try again.',
  EACCES: 'Permission is denied there: give it, then try again.',
  EROFS: 'That disk is mounted read-only.',
  EXDEV: 'That folder is a mount of its own, on another disk: an apply cannot exchange files there.',
  LOCK_TIMEOUT: 'Wait for the other process, then try again.',
};

const LET_THE_SYSTEM = 'See to what the system complains about, then try again.';

/** Runs `work`; what a lock, a journal or the system refuses is thrown in the sandbox's words. */
export async function translating<T>(call: Call, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error, call);
  }
}

function translated(error: unknown, call: Call): unknown {
  const [ErrorClass, fallback] = REFUSALS[call];
  if (error instanceof FileMoving || error instanceof WrongBytes)
    return new ErrorClass('SANDBOX_WORKTREE_MOVING', `Somebody writes meanwhile: ${error.message}`, {
      hint: 'Stop what writes there, then try again.',
      cause: error,
    });
  const code = codeOf(error, fallback);
  if (code === null) return error;
  const systemCode = String((error as { code?: unknown }).code);
  const { hint, data } = error as ErrorDetails;
  return new ErrorClass(code, messageOf(error), {
    hint: HINTS[systemCode] ?? hint ?? LET_THE_SYSTEM,
    data: { ...data, systemCode },
    cause: error,
  });
}

function codeOf(error: unknown, fallback: SandboxErrorCode): SandboxErrorCode | null {
  if (hasCode(error, 'LOCK_TIMEOUT', 'LOCK_LOST')) return 'SANDBOX_LOCKED';
  if (hasCode(error, 'JOURNAL_DAMAGED')) return 'SANDBOX_RECOVERY_BLOCKED';
  return /^E[A-Z0-9]+$/.test(String((error as { code?: unknown } | null)?.code)) ? fallback : null;
}
