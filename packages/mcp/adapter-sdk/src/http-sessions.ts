import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  readRequestBody,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

interface HttpSessionsOptions {
  /** A fresh server for each session. */
  readonly open: () => Server;
  readonly maxBodyBytes: number;
  /** When there are more, the one that nobody used for longest ends. */
  readonly maxSessions: number;
  readonly onTrouble: (error: Error) => void;
}

/**
 * Clients of the revisions before 2026-07-28 that introduce themselves: each has a server of its own until it goes. What they
 * cancel, they cancel by another request, which has to reach the server that is at work.
 */
export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  /** In the order of their last use. */
  readonly #transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  /** Undefined for a request that belongs to no session and begins none: it stands for itself. */
  async answer(request: Request): Promise<Response | undefined> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) return this.#resume(id, request);
    if (request.method !== 'POST' || request.headers.has('mcp-method')) return undefined;
    const body = await readRequestBody(request.clone(), this.#options.maxBodyBytes);
    return !body.tooLarge && introduces(body.text) ? this.#begin(request) : undefined;
  }

  async close(): Promise<void> {
    const transports = [...this.#transports.values()];
    this.#transports.clear();
    await Promise.all(transports.map((transport) => transport.close()));
  }

  async #begin(request: Request): Promise<Response> {
    const { open, maxBodyBytes, onTrouble } = this.#options;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => this.#keep(id, transport),
      onsessionclosed: (id) => void this.#transports.delete(id),
    });
    const server = open();
    server.onerror = onTrouble;
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  #resume(id: string, request: Request): Promise<Response> | Response {
    const transport = this.#transports.get(id);
    if (transport === undefined) return notFound();
    this.#keep(id, transport);
    return transport.handleRequest(request);
  }

  #keep(id: string, transport: WebStandardStreamableHTTPServerTransport): void {
    this.#transports.delete(id);
    this.#transports.set(id, transport);
    const [oldest] = this.#transports;
    if (oldest === undefined || this.#transports.size <= this.#options.maxSessions) return;
    this.#transports.delete(oldest[0]);
    oldest[1].close().catch(this.#options.onTrouble);
  }
}

function introduces(text: string): boolean {
  try {
    return isInitializeRequest(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The status tells a client to introduce itself again. */
function notFound(): Response {
  const error = { code: -32_001, message: 'The session is not known, or has ended' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
