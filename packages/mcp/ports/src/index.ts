export { MessageChannelError, type MessageChannelErrorCode } from './message-channel.errors.ts';
export type { ChannelListener, MessageChannel } from './message-channel.ts';
