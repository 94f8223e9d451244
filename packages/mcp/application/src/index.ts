export { channelPair } from './channel-pair.ts';
export { McpProxy, type McpProxyOptions } from './mcp-proxy.ts';
export { FAILURE_META_KEY, McpToolServer, type McpToolServerOptions } from './mcp-tool-server.ts';
export type { ProxyReport, Tally } from './proxy-report.ts';
