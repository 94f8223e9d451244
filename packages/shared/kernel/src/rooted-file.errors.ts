import type { ErrorDetails } from './coded-error.ts';
import { CodedError } from './coded-error.ts';

export type RootedFileErrorCode =
  /** The path leads out of the root, by its spelling or through a link. */
  | 'PATH_TRAVERSAL'
  /** No file system could have this path: empty, NUL, lone surrogate, too long, a URL. */
  | 'PATH_INVALID'
  /** The path belongs to a git repository's own files, which are never written. */
  | 'PATH_PROTECTED'
  | 'FILE_NOT_FOUND'
  | 'NOT_A_DIRECTORY'
  /** A directory, device, socket or FIFO where a regular file is needed. */
  | 'NOT_A_REGULAR_FILE'
  | 'FILE_TOO_LARGE'
  /** The file is not what the caller expected it to be; nothing was written. */
  | 'FILE_CHANGED'
  | 'PERMISSION_DENIED'
  | 'STORAGE_FULL'
  | 'STORAGE_READ_ONLY'
  /** The system refused for a reason that has no code of its own; `data.systemCode` names it. */
  | 'STORAGE_FAILED';

/** What goes wrong below a root. No message says anything about what lies outside. */
export class RootedFileError extends CodedError<RootedFileErrorCode> {}

/** The one answer to every way out of the root, whatever lies at its end. */
export function traversalRefused(): RootedFileError {
  return new RootedFileError('PATH_TRAVERSAL', 'Path traversal not allowed', {
    hint: 'Give a path inside the root, relative to it.',
  });
}

/** @param path as the caller wrote it, never a resolved one */
export function rootedFileError(
  code: RootedFileErrorCode,
  path: string,
  problem: string,
  details: ErrorDetails = {},
): RootedFileError {
  return new RootedFileError(code, `${JSON.stringify(path)} ${problem}`, {
    ...details,
    data: { path, ...details.data },
  });
}
