import type { Readable, Writable } from 'node:stream';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { ToolProvider } from '@cleveragents/mcp-ports';
import { type CodedError, hasCode } from '@cleveragents/shared-kernel';
import { MAX_MESSAGE_BYTES } from './message-streams.ts';

export interface ServeToolsOptions {
  /** A fresh one for each connection. */
  readonly open: () => ToolProvider;
  readonly name: string;
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  /** Told of what went wrong beside the answers. */
  readonly onTrouble?: (error: Error) => void;
}

export interface ServingTools {
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves tools over two streams, in the era of the protocol in which the client opens: revision 2026-07-28, or those before it.
 * A client that goes cancels what it has called.
 */
export function serveTools({
  open,
  name,
  version,
  input,
  output,
  onTrouble,
}: ServeToolsOptions): ServingTools {
  const ended = new Promise<void>((resolve) => {
    input
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    output.once('error', () => resolve());
  });
  const handle = serveStdio(() => serverOf(open(), { name, version }), {
    transport: new StdioServerTransport(input as never, output as never, {
      maxBufferSize: MAX_MESSAGE_BYTES,
    }),
    ...(onTrouble && { onerror: onTrouble }),
  });
  return {
    ended,
    close: async () => {
      await handle.close();
      input.destroy();
    },
  };
}

function serverOf(provider: ToolProvider, info: { readonly name: string; readonly version: string }): Server {
  const server = new Server(info, {
    capabilities: { tools: {} },
    ...(provider.instructions !== '' && { instructions: provider.instructions }),
  });
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
