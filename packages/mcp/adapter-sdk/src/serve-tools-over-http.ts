import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { MessageChannelError, type ToolProvider } from '@cleveragents/mcp-ports';
import { messageOf, ValidationError } from '@cleveragents/shared-kernel';
import { HttpSessions } from './http-sessions.ts';
import { protocolServerOf, type ServerInfo } from './tool-protocol-server.ts';

export interface ServeToolsOverHttpOptions extends ServerInfo {
  /** A fresh one for each session, and for each request outside of one. */
  readonly open: () => ToolProvider;
  /** 0: any that is free. */
  readonly port: number;
  /** What a client has to show, as `Authorization: Bearer`. At least 16 characters. */
  readonly token: string;
  /** Default: 10 s for the headers, 60 s for a request, 500 connections. */
  readonly limits?: Partial<HttpLimits> | undefined;
  /** Told of what went wrong beside the answers. */
  readonly onTrouble?: ((error: Error) => void) | undefined;
}

/** How long a client may take for the headers, and for a whole request, before it is cut off; and how many there may be at once. */
export interface HttpLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
}

export interface ServingToolsOverHttp {
  /** Where clients find it. */
  readonly url: string;
  /** Cancels what is under way. */
  close(): Promise<void>;
}

/** Only on the client's side of a request is there none of either. */
type ServedRequest = IncomingMessage & { readonly method: string; readonly url: string };

const LOOPBACK = '127.0.0.1';
const PATH = '/mcp';
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const LIMITS: HttpLimits = { headersTimeoutMs: 10_000, requestTimeoutMs: 60_000, maxConnections: 500 };
const MAX_SESSIONS = 100;
const SHORTEST_TOKEN = 16;

/**
 * Serves tools over streamable HTTP, to this machine alone, in both eras of the protocol. A request whose `Host` or `Origin`
 * names another machine (a page in a browser that was led here) is refused with 403, one without the token with 401.
 * @throws ValidationError for a token that is too short. @throws MessageChannelError `MCP_CHANNEL_FAILED` for a port that is taken.
 */
export async function serveToolsOverHttp({
  open,
  port,
  token,
  limits,
  onTrouble,
  ...info
}: ServeToolsOverHttpOptions): Promise<ServingToolsOverHttp> {
  if (token.length < SHORTEST_TOKEN)
    throw new ValidationError(`token must have at least ${SHORTEST_TOKEN} characters`);
  const settings = { maxRequestBodySize: MAX_BODY_BYTES, ...(onTrouble && { onerror: onTrouble }) };
  const sessions = new HttpSessions({
    open: () => protocolServerOf(open(), info),
    maxBodyBytes: MAX_BODY_BYTES,
    maxSessions: MAX_SESSIONS,
    onTrouble: onTrouble ?? (() => undefined),
  });
  const mcp = createMcpHandler(() => protocolServerOf(open(), info), settings);
  const answer = toNodeHandler(
    { fetch: async (request, options) => (await sessions.answer(request)) ?? mcp.fetch(request, options) },
    settings,
  );
  const mayPass = guardOf(token);
  const server = limitedServer({ ...LIMITS, ...limits }, (request, response) => {
    if (mayPass(request, response)) void answer(request as ServedRequest, response);
  });
  const address = await listening(server, port);
  return {
    url: `http://${LOOPBACK}:${address.port}${PATH}`,
    close: async () => {
      await Promise.all([mcp.close(), sessions.close()]);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function limitedServer(
  { headersTimeoutMs, requestTimeoutMs, maxConnections }: HttpLimits,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(Math.min(headersTimeoutMs, requestTimeoutMs) / 10),
    },
    answer,
  );
  server.maxConnections = maxConnections;
  return server;
}

/** Says whether a request may be answered; one that may not has been. */
function guardOf(token: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const hasGoodHost = localhostHostValidation();
  const hasGoodOrigin = localhostOriginValidation();
  const expected = digestOf(`Bearer ${token}`);
  return (request, response) => {
    if (!hasGoodHost(request, response) || !hasGoodOrigin(request, response)) return false;
    if (!timingSafeEqual(digestOf(request.headers.authorization ?? ''), expected)) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return false;
    }
    if (request.url?.split('?')[0] === PATH) return true;
    response.writeHead(404).end();
    return false;
  };
}

/** Digests have one length: how long the comparison takes says nothing about the token. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function listening(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new MessageChannelError(
          'MCP_CHANNEL_FAILED',
          `Nobody can be served on port ${port}: ${messageOf(cause)}`,
          {
            hint: 'Choose another port, or 0 for any that is free.',
            data: { port },
            cause,
          },
        ),
      ),
    );
    server.listen(port, LOOPBACK, () => resolve(server.address() as AddressInfo));
  });
}
