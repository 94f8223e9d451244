import {
  isCall,
  type JsonRpcAnswer,
  type JsonRpcId,
  type JsonRpcMessage,
  McpMessageRewriter,
  type McpPathErrorCode,
  type SandboxPathRewriterOptions,
  type Side,
} from '@cleveragents/mcp-domain';
import type { ChannelListener, MessageChannel, MessageChannelError } from '@cleveragents/mcp-ports';
import { type CodedError, hasCode, messageOf } from '@cleveragents/shared-kernel';
import { OpenCalls } from './open-calls.ts';
import { type ProxyReport, TallyList } from './proxy-report.ts';

export interface McpProxyOptions {
  /** Towards the client, on the host. Not started. */
  readonly client: MessageChannel;
  /** Towards the server, in the sandbox. Not started. */
  readonly server: MessageChannel;
  readonly paths: SandboxPathRewriterOptions;
  /** Looks for sandbox paths that reach the client all the same, which means to read every message once more. Default: false. */
  readonly findLeaks?: boolean | undefined;
  /** Told of what a side sent that is no message, and of how a side ended that was not meant to. */
  readonly onTrouble?: ((side: Side, error: MessageChannelError) => void) | undefined;
}

/** What the official SDK calls a lost connection. */
const CONNECTION_CLOSED = -32_000;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** What an answer is taken for that nobody waits for: whoever reads it all the same shall read no path of the other side. */
const UNASKED = { host: { method: 'tools/call' }, sandbox: { method: 'unknown' } } as const;

const PATH_ERRORS: readonly McpPathErrorCode[] = [
  'MCP_PATH_TOO_DEEP',
  'MCP_PATH_KEY_COLLISION',
  'MCP_PATH_ESCAPES_ROOT',
];
const other = (side: Side): Side => (side === 'host' ? 'sandbox' : 'host');

/**
 * Stands between an MCP client and a server and gives the paths in their messages the names that the reader knows. Everything
 * else passes as it came, in the order in which it came.
 *
 * Every request gets one answer: when a message cannot be rewritten, or the other side has gone, it is a JSON-RPC error.
 */
export class McpProxy {
  readonly #channels: Readonly<Record<Side, MessageChannel>>;
  readonly #rewriter: McpMessageRewriter;
  readonly #findLeaks: boolean;
  readonly #onTrouble: McpProxyOptions['onTrouble'];
  readonly #calls: Readonly<Record<Side, OpenCalls>> = { host: new OpenCalls(), sandbox: new OpenCalls() };
  readonly #messages: Record<Side, number> = { host: 0, sandbox: 0 };
  readonly #leaks = new TallyList<{ method: string; path: string }>();
  readonly #refused = new TallyList<{ method: string; code: string }>();
  readonly #sending = new Set<Promise<void>>();
  readonly #closed = new Set<Side>();
  #unanswered = 0;
  #undelivered = 0;
  #finish: () => void = () => undefined;

  /** @throws McpPathError for roots that could mean two things. */
  constructor({ client, server, paths, findLeaks = false, onTrouble }: McpProxyOptions) {
    this.#channels = { host: client, sandbox: server };
    this.#rewriter = new McpMessageRewriter(paths);
    this.#findLeaks = findLeaks;
    this.#onTrouble = onTrouble;
  }

  /** What was done so far. */
  get report(): ProxyReport {
    return {
      messages: { ...this.#messages },
      rewritten: this.#rewriter.rewritten,
      leaks: this.#leaks.entries,
      refused: this.#refused.entries,
      unanswered: this.#unanswered,
      undelivered: this.#undelivered,
    };
  }

  /**
   * Passes messages on until both sides have gone; when one goes, the other is closed. To be called once.
   * @throws MessageChannelError `MCP_CHANNEL_FAILED` when a channel cannot be started; the other is closed then.
   */
  async run(): Promise<ProxyReport> {
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    await this.#channels.sandbox.start(this.#listener('sandbox'));
    try {
      await this.#channels.host.start(this.#listener('host'));
    } catch (error) {
      await this.#channels.sandbox.close();
      throw error;
    }
    await finished;
    await Promise.all(this.#sending);
    return this.report;
  }

  #listener(from: Side): ChannelListener {
    return {
      onMessage: (message) => this.#pass(message, from),
      onClosed: (error) => {
        if (error !== undefined) this.#onTrouble?.(from, error);
        this.#end(from);
      },
      onTrouble: (error) => this.#onTrouble?.(from, error),
    };
  }

  #pass(message: JsonRpcMessage, from: Side): void {
    this.#messages[from] += 1;
    const answered = isCall(message) ? undefined : this.#calls[other(from)].takeAnswered(message);
    const method = isCall(message) ? message.method : (answered?.method ?? 'unknown');
    const to = other(from);
    try {
      const rewritten = isCall(message)
        ? this.#rewriter.rewriteCall(message, { to })
        : this.#rewriter.rewriteAnswer(message, { to, ...(answered ?? UNASKED[to]) });
      if (isCall(rewritten)) this.#calls[from].noteCall(rewritten);
      if (this.#findLeaks && to === 'host') this.#noteLeaks(rewritten, method);
      this.#send(rewritten, to);
    } catch (error) {
      if (!hasCode(error, ...PATH_ERRORS)) throw error;
      this.#refuse(message, from, { method, error: error as CodedError });
    }
  }

  #noteLeaks(message: JsonRpcMessage, method: string): void {
    for (const path of this.#rewriter.sandboxPathsIn(message)) this.#leaks.add({ method, path });
  }

  /** A call is answered in place of the other side, an answer is replaced, and a notification is dropped. */
  #refuse(
    message: JsonRpcMessage,
    from: Side,
    { method, error }: { method: string; error: CodedError },
  ): void {
    this.#refused.add({ method, code: error.code });
    const data = { code: error.code, ...(error.hint !== undefined && { hint: error.hint }) };
    if (!isCall(message))
      this.#send(failure(message.id, INTERNAL_ERROR, { message: error.message, data }), other(from));
    else if (message.id !== undefined)
      this.#send(failure(message.id, INVALID_PARAMS, { message: error.message, data }), from);
  }

  #send(message: JsonRpcMessage, to: Side, { isLast = false } = {}): void {
    const sending = this.#trySend(message, to).then((error) => {
      if (error !== undefined) this.#notDelivered(message, to, { error, isLast });
    });
    this.#await(sending);
  }

  async #trySend(message: JsonRpcMessage, to: Side): Promise<unknown> {
    try {
      await this.#channels[to].send(message);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #notDelivered(
    message: JsonRpcMessage,
    to: Side,
    { error, isLast }: { readonly error: unknown; readonly isLast: boolean },
  ): void {
    this.#undelivered += 1;
    const gone = hasCode(error, 'MCP_CHANNEL_CLOSED');
    if (isCall(message)) {
      if (message.id === undefined || !this.#calls[other(to)].drop(message.id)) return;
      if (gone) this.#answerForTheGone(message.id, message.method, to);
      else this.#send(notPassedOn(message.id, error), other(to), { isLast: true });
    } else if (!gone && !isLast) this.#send(notPassedOn(message.id, error), to, { isLast: true });
  }

  #end(side: Side): void {
    this.#closed.add(side);
    for (const [id, { method }] of this.#calls[other(side)].dropAll())
      this.#answerForTheGone(id, method, side);
    if (this.#closed.size === 2) this.#finish();
    else this.#close(other(side));
  }

  #close(side: Side): void {
    // a channel that cannot be closed in good order is gone all the same
    this.#await(this.#channels[side].close().catch(() => undefined));
  }

  #await(work: Promise<void>): void {
    this.#sending.add(work);
    void work.finally(() => this.#sending.delete(work));
  }

  #answerForTheGone(id: JsonRpcId, method: string, gone: Side): void {
    this.#unanswered += 1;
    const who = gone === 'sandbox' ? 'server' : 'client';
    const message = `The MCP ${who} ended before it answered ${method}`;
    this.#send(
      failure(id, CONNECTION_CLOSED, { message, data: { code: 'MCP_CHANNEL_CLOSED' } }),
      other(gone),
    );
  }
}

function notPassedOn(id: JsonRpcId | null, error: unknown): JsonRpcAnswer {
  const message = `The message could not be passed on: ${messageOf(error)}`;
  return failure(id, INTERNAL_ERROR, { message, data: { code: 'MCP_CHANNEL_FAILED' } });
}

function failure(
  id: JsonRpcId | null,
  code: number,
  { message, data }: { readonly message: string; readonly data: unknown },
): JsonRpcAnswer {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}
