import type { RootedFileErrorCode } from '@cleveragents/shared-kernel';
import { hasCode, RootedFileError, rootedFileError } from '@cleveragents/shared-kernel';

interface Translation {
  readonly code: RootedFileErrorCode;
  readonly problem: string;
  readonly hint?: string;
}

const FULL: Translation = {
  code: 'STORAGE_FULL',
  problem: 'could not be written: no space is left',
  hint: 'Free some space, or raise the quota; the file is as it was.',
};
const DENIED: Translation = {
  code: 'PERMISSION_DENIED',
  problem: 'may not be accessed',
  hint: 'Check the permissions of the file and of its directory.',
};

const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  ENOENT: { code: 'FILE_NOT_FOUND', problem: 'was not found' },
  ENOTDIR: {
    code: 'NOT_A_DIRECTORY',
    problem: 'is not a directory, or passes through something that is not',
  },
  EISDIR: { code: 'NOT_A_REGULAR_FILE', problem: 'is a directory, not a regular file' },
  ELOOP: { code: 'PATH_INVALID', problem: 'passes through a loop of links' },
  ENAMETOOLONG: { code: 'PATH_INVALID', problem: 'is longer than the file system allows' },
  ENXIO: { code: 'NOT_A_REGULAR_FILE', problem: 'is not a regular file' },
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: { code: 'STORAGE_READ_ONLY', problem: 'lies on a read-only file system' },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
};

/** Gives what the system refused a code, and the caller's own path: Node's messages name host paths. */
export function translated(path: string, error: unknown): unknown {
  if (error instanceof RootedFileError || !isSystemError(error)) return error;
  const { code, problem, hint } = TRANSLATIONS[error.code] ?? {
    code: 'STORAGE_FAILED' as const,
    problem: `could not be accessed (${error.code})`,
  };
  return rootedFileError(code, path, problem, { hint, data: { systemCode: error.code } });
}

function isSystemError(error: unknown): error is { readonly code: string } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'syscall' in error &&
    'code' in error &&
    typeof error.code === 'string'
  );
}

/** The result of `work`, or `undefined` where the system says that there is nothing. */
export function unlessMissing<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
