export { MessageChannelError, type MessageChannelErrorCode } from './message-channel.errors.ts';
export type { ChannelListener, MessageChannel } from './message-channel.ts';
export { ToolProviderError, type ToolProviderErrorCode } from './tool-provider.errors.ts';
export type {
  OfferedResources,
  OfferedTool,
  ResourceBody,
  ResourceLink,
  ToolAnswer,
  ToolDescription,
  ToolHints,
  ToolInvocation,
  ToolOutcome,
  ToolPage,
  ToolProvider,
  ToolSchema,
} from './tool-provider.ts';
