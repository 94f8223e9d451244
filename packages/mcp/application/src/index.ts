export { channelPair } from './channel-pair.ts';
export { McpProxy, type McpProxyOptions } from './mcp-proxy.ts';
export type { ProxyReport, Tally } from './proxy-report.ts';
