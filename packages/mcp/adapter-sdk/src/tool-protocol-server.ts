import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { ToolInvocation, ToolProvider } from '@cleveragents/mcp-ports';
import { CodedError, hasCode } from '@cleveragents/shared-kernel';

/** How a server introduces itself. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** The official server, answering out of a provider. One for each connection. */
export function protocolServerOf(provider: ToolProvider, { name, version }: ServerInfo): Server {
  const hasResources = provider.resources.length > 0;
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: {}, ...(hasResources && { resources: {} }) },
      ...(provider.instructions !== '' && { instructions: provider.instructions }),
    },
  );
  answerTools(server, provider);
  if (hasResources) answerResources(server, provider);
  return server;
}

function answerTools(server: Server, provider: ToolProvider): void {
  server.setRequestHandler('tools/list', ({ params }) =>
    withProtocolErrors(() => {
      const { tools, nextCursor } = provider.listTools(params?.cursor);
      return Promise.resolve({
        tools: tools.map((tool) => tool as Tool),
        ...(nextCursor !== undefined && { nextCursor }),
      });
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, context) =>
    withProtocolErrors(async () => {
      const answer = await provider.callTool(params.name, params.arguments ?? {}, invocationOf(context));
      return answer as CallToolResult;
    }),
  );
}

function answerResources(server: Server, provider: ToolProvider): void {
  const described = (isTemplate: boolean): ReturnType<typeof descriptionOf>[] =>
    provider.resources.filter((offered) => offered.isTemplate === isTemplate).map(descriptionOf);
  server.setRequestHandler('resources/list', () => ({
    resources: described(false).map(({ uri, ...description }) => ({ ...description, uri })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: described(true).map(({ uri, ...description }) => ({
      ...description,
      uriTemplate: uri,
    })),
  }));
  server.setRequestHandler('resources/read', ({ params }, context) =>
    withProtocolErrors(async () => ({
      contents: [await provider.readResource(params.uri, invocationOf(context))],
    })),
  );
}

function descriptionOf({
  uri,
  name,
  title,
  description,
  mimeType,
}: ToolProvider['resources'][number]): Record<'uri' | 'name' | 'title' | 'description', string> & {
  mimeType?: string;
} {
  return { uri, name, title, description, ...(mimeType !== undefined && { mimeType }) };
}

/** Each word about the progress gets a number of its own: the protocol wants them to rise. */
function invocationOf({ mcpReq: { signal, notify, _meta } }: ServerContext): ToolInvocation {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return { signal };
  let progress = 0;
  return {
    signal,
    onProgress: (message) => {
      progress += 1;
      const params = { progressToken, progress, message };
      // a client that has gone misses nothing
      notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

async function withProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { message, code, hint, data } = error;
    if (hasCode(error, 'MCP_RESOURCE_UNKNOWN')) throw new ResourceNotFoundError(String(data['uri']), message);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code, hint });
  }
}
