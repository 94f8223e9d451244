import { CodedError } from '@cleveragents/shared-kernel';

/**
 * - `MCP_CHANNEL_CLOSED`: the channel is closed, by either side, or was not started.
 * - `MCP_CHANNEL_UNREADABLE`: the other side sent something that is no message. The channel stays open.
 * - `MCP_CHANNEL_FAILED`: the channel broke; `cause` says how.
 */
export type MessageChannelErrorCode = 'MCP_CHANNEL_CLOSED' | 'MCP_CHANNEL_UNREADABLE' | 'MCP_CHANNEL_FAILED';

export class MessageChannelError extends CodedError<MessageChannelErrorCode> {}
