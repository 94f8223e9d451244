import { CodedError } from '@cleveragents/shared-kernel';

/**
 * - `MCP_TOOL_UNKNOWN`: no tool has that name.
 * - `MCP_CURSOR_UNKNOWN`: the cursor was not given out by this server.
 * - `MCP_RESOURCE_UNKNOWN`: nothing has that URI.
 */
export type ToolProviderErrorCode = 'MCP_TOOL_UNKNOWN' | 'MCP_CURSOR_UNKNOWN' | 'MCP_RESOURCE_UNKNOWN';

/** A question that can have no answer: for the program that asked, not for the model. */
export class ToolProviderError extends CodedError<ToolProviderErrorCode> {}
