export {
  ChildProcessChannel,
  type ChildProcessChannelOptions,
  type ServerExit,
} from './child-process-channel.ts';
export { serveTools, type ServeToolsOptions, type ServingTools } from './serve-tools.ts';
export {
  type HttpLimits,
  serveToolsOverHttp,
  type ServeToolsOverHttpOptions,
  type ServingToolsOverHttp,
} from './serve-tools-over-http.ts';
export { StreamMessageChannel, type StreamMessageChannelOptions } from './stream-message-channel.ts';
export type { ServerInfo } from './tool-protocol-server.ts';
