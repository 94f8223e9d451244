import { CodedError } from '@cleveragents/shared-kernel';

/**
 * - `MCP_PATH_NO_MAPPING`: the configuration maps nothing.
 * - `MCP_PATH_ROOT_INVALID`: a root is no path: empty, or with NUL, CR, LF or half a surrogate pair.
 * - `MCP_PATH_ROOT_RELATIVE`: a root is not absolute.
 * - `MCP_PATH_ROOTS_EQUAL`: one path is the root of two things; nobody could say which one is meant.
 * - `MCP_PATH_TOO_DEEP`: a value is nested more than 200 levels deep, or contains itself.
 * - `MCP_PATH_KEY_COLLISION`: with `keys`, two keys of one object became the same.
 * - `MCP_PATH_ESCAPES_ROOT`: with `strict`, a path starts in a root and leaves it through `..`.
 */
export type McpPathErrorCode =
  | 'MCP_PATH_NO_MAPPING'
  | 'MCP_PATH_ROOT_INVALID'
  | 'MCP_PATH_ROOT_RELATIVE'
  | 'MCP_PATH_ROOTS_EQUAL'
  | 'MCP_PATH_TOO_DEEP'
  | 'MCP_PATH_KEY_COLLISION'
  | 'MCP_PATH_ESCAPES_ROOT';

/** Why a rewriter could not be made, or a message could not be rewritten. Nothing was changed when it is thrown. */
export class McpPathError extends CodedError<McpPathErrorCode> {}
