import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { ToolProvider } from '@cleveragents/mcp-ports';
import { type CodedError, hasCode } from '@cleveragents/shared-kernel';

/** How a server introduces itself. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** The official server, answering out of a provider. One for each connection. */
export function protocolServerOf(provider: ToolProvider, { name, version }: ServerInfo): Server {
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: {} },
      ...(provider.instructions !== '' && { instructions: provider.instructions }),
    },
  );
  server.setRequestHandler('tools/list', ({ params }) =>
    withProtocolErrors(() => {
      const { tools, nextCursor } = provider.listTools(params?.cursor);
      return Promise.resolve({
        tools: tools.map((tool) => tool as Tool),
        ...(nextCursor !== undefined && { nextCursor }),
      });
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    withProtocolErrors(async () => {
      const answer = await provider.callTool(params.name, params.arguments ?? {}, { signal: mcpReq.signal });
      return answer as CallToolResult;
    }),
  );
  return server;
}

async function withProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, 'MCP_TOOL_UNKNOWN', 'MCP_CURSOR_UNKNOWN')) throw error;
    const { message, code, hint } = error as CodedError;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code, hint });
  }
}
