import { CodedError } from '@cleveragents/shared-kernel';

export type FileToolErrorCode =
  /** The input is not what the tool's schema says. */
  | 'INPUT_INVALID'
  | 'TOOL_UNKNOWN'
  | 'TOOL_ALREADY_REGISTERED'
  | 'ENCODING_UNKNOWN'
  /** The file's bytes, or the text to write, are not valid in the encoding. Nothing was changed. */
  | 'ENCODING_INVALID'
  | 'FILE_IS_BINARY'
  | 'TEXT_NOT_FOUND'
  /** A glob or an expression that cannot be understood, or that leads out of the root. */
  | 'PATTERN_INVALID'
  /** The search did not end in the time it was given. */
  | 'SEARCH_TIMEOUT'
  /** The file was changed, but the change set could not be stored. */
  | 'CHANGE_NOT_RECORDED'
  | 'CHANGE_SET_UNREADABLE'
  /** The caller ended the call. */
  | 'CANCELLED';

export class FileToolError extends CodedError<FileToolErrorCode> {}
