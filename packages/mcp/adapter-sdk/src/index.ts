export {
  ChildProcessChannel,
  type ChildProcessChannelOptions,
  type ServerExit,
} from './child-process-channel.ts';
export { StreamMessageChannel, type StreamMessageChannelOptions } from './stream-message-channel.ts';
export { serveTools, type ServeToolsOptions, type ServingTools } from './serve-tools.ts';
