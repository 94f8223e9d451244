import { Client as ClientOfV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportOfV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientOfV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportOfV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

type Fields = Readonly<Record<string, unknown>>;

export interface ServerToStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** What the client says that its roots are. */
  readonly roots: readonly string[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number) => void;
}

export interface ToolAnswer {
  readonly isError?: boolean | undefined;
  readonly content: readonly Fields[];
  readonly structuredContent?: Fields | undefined;
}

/** What the tests ask of either generation of the official client. */
export interface AnyClient {
  /** Of the protocol, as agreed with the server. */
  readonly revision: string | undefined;
  listTools(): Promise<readonly { readonly name: string; readonly [field: string]: unknown }[]>;
  callTool(name: string, toolArguments?: Fields, options?: CallOptions): Promise<ToolAnswer>;
  /** The last message of a call that is promised for later; the second generation of clients knows no tasks. */
  callAsTask?(name: string, toolArguments: Fields): Promise<unknown>;
  readResource(uri: string): Promise<Fields>;
  /** Resolves when the other side has gone. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  connect(server: ServerToStart): Promise<AnyClient>;
}

const INFO = { name: 'test', version: '1.0.0' };
const CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: {} } };
const SAMPLED = {
  model: 'test',
  role: 'assistant' as const,
  content: { type: 'text' as const, text: 'sampled' },
};
const DECLINED = { action: 'decline' as const };

async function connectV1({ roots, args, ...server }: ServerToStart): Promise<AnyClient> {
  const client = new ClientOfV1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ElicitRequestSchema, () => DECLINED);
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  let revision: string | undefined;
  const setProtocolVersion = (version: string): void => {
    revision = version;
  };
  const transport = new TransportOfV1({ ...server, args: [...args], stderr: 'ignore' });
  await client.connect(Object.assign(transport, { setProtocolVersion }));
  return {
    revision,
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, toolArguments = {}, { signal, onProgress } = {}) =>
      (await client.callTool({ name, arguments: toolArguments }, undefined, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
      })) as ToolAnswer,
    callAsTask: async (name, toolArguments) => {
      let last: unknown;
      const call = { name, arguments: toolArguments };
      const stream = client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
        task: { ttl: 60_000 },
      });
      for await (const message of stream) last = message;
      return last;
    },
    readResource: async (uri) => client.readResource({ uri }),
    closed,
    close: () => client.close(),
  };
}

const connectV2 =
  (mode: 'legacy' | 'auto') =>
  async ({ roots, args, ...server }: ServerToStart): Promise<AnyClient> => {
    const client = new ClientOfV2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
    client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
    client.setRequestHandler('sampling/createMessage', () => SAMPLED);
    client.setRequestHandler('elicitation/create', () => DECLINED);
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    await client.connect(new TransportOfV2({ ...server, args: [...args], stderr: 'ignore' }));
    return {
      revision: client.getNegotiatedProtocolVersion(),
      listTools: async () => (await client.listTools()).tools,
      callTool: async (name, toolArguments = {}, { signal, onProgress } = {}) =>
        (await client.callTool(
          { name, arguments: toolArguments },
          {
            ...(signal && { signal }),
            ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
          },
        )) as ToolAnswer,
      readResource: async (uri) => client.readResource({ uri }),
      closed,
      close: () => client.close(),
    };
  };

/** Of both generations, and of both eras of the protocol. */
export const CLIENT_V1: ClientKind = { name: 'v1 client', connect: connectV1 };
export const CLIENT_V2: ClientKind = { name: 'v2 client', connect: connectV2('legacy') };
export const CLIENT_V2_MODERN: ClientKind = {
  name: 'v2 client, newest revision',
  connect: connectV2('auto'),
};
