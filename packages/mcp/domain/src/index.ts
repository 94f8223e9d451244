export { DEFAULT_CONTENT_FIELDS, DEFAULT_CONTENT_READERS, type ToolContentRules } from './content-rules.ts';
export {
  isCall,
  type JsonRpcAnswer,
  type JsonRpcCall,
  type JsonRpcError,
  type JsonRpcId,
  type JsonRpcMessage,
} from './json-rpc.ts';
export { type AnsweredCall, answeredCallOf, McpMessageRewriter } from './mcp-message-rewriter.ts';
export { McpPathError, type McpPathErrorCode } from './mcp-path.errors.ts';
export type { RootMapping, Side } from './root.ts';
export {
  type AnsweredTool,
  type EachWay,
  type RewriterRoots,
  type RewriterSettings,
  type RewriteSettings,
  type RewrittenPath,
  SandboxPathRewriter,
  type SandboxPathRewriterOptions,
  type ToolReference,
} from './sandbox-path-rewriter.ts';
