import { CodedError } from '@cleveragents/shared-kernel';

/**
 * - `MCP_TOOL_UNKNOWN`: no tool has that name.
 * - `MCP_CURSOR_UNKNOWN`: the cursor was not given out by this server.
 */
export type ToolProviderErrorCode = 'MCP_TOOL_UNKNOWN' | 'MCP_CURSOR_UNKNOWN';

/** A question that can have no answer: for the program that asked, not for the model. */
export class ToolProviderError extends CodedError<ToolProviderErrorCode> {}
