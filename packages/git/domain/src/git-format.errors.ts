import { CodedError } from '@cleveragents/shared-kernel';

export type GitFormatErrorCode =
  /** A name that git would refuse to check out: `.`, `..`, anything a file system may take for `.git`, empty, with `/` or NUL. */
  | 'GIT_PATH_REFUSED'
  /** Bytes that are no UTF-8 where a path stands. */
  | 'GIT_PATH_NOT_UTF8'
  | 'GIT_TREE_CORRUPT'
  | 'GIT_INDEX_CORRUPT'
  /** A version other than 2 and 3; `data.version` says which. */
  | 'GIT_INDEX_VERSION_UNSUPPORTED'
  /** Most entries live in another file (extension `link`). */
  | 'GIT_INDEX_SPLIT'
  /** Whole directories stand as one entry (extension `sdir`). */
  | 'GIT_INDEX_SPARSE'
  /** An extension that a reader must understand and we do not; `data.signature` says which. */
  | 'GIT_INDEX_EXTENSION_UNSUPPORTED'
  /** A change would make one path both a file and a directory, or name a path twice. */
  | 'GIT_INDEX_PATH_CONFLICT'
  /** `data.line` says where. */
  | 'GIT_CONFIG_CORRUPT'
  /** Not the boolean or the number that git wants there. */
  | 'GIT_CONFIG_VALUE_INVALID';

/** What git wrote, or should write, is not in a form that we can take; nothing has been written when it is thrown. */
export class GitFormatError extends CodedError<GitFormatErrorCode> {}
