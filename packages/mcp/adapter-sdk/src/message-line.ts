import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { MessageChannelError } from '@cleveragents/mcp-ports';
import { markLongNumbers, unmarkLongNumbers } from './long-numbers.ts';

const LINE_FEED = 0x0a;

/** Cuts a stream of bytes into lines, wherever it was cut before: a character may lie in two chunks. */
export class LineSplitter {
  readonly #maxBytes: number;
  #begun: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The lines that `chunk` completes.
   * @throws MessageChannelError `MCP_CHANNEL_FAILED` for a line without an end: what comes next could not be told apart.
   */
  take(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      lines.push(this.#completed(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** What came after the last line. */
  rest(): Buffer {
    return this.#completed(Buffer.alloc(0));
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) throw tooLong(this.#maxBytes);
    this.#begun.push(part);
  }

  #completed(part: Buffer): Buffer {
    const line = this.#begun.length === 0 ? part : Buffer.concat([...this.#begun, part]);
    this.#begun = [];
    this.#bytes = 0;
    return line;
  }
}

/**
 * The messages of a line, to be passed on by `lineOf`: one; several for a batch, which revision 2025-03-26 allows; none for a blank line.
 * @throws MessageChannelError `MCP_CHANNEL_UNREADABLE`.
 */
export function messagesOf(line: Buffer): readonly JsonRpcMessage[] {
  const text = line.toString('utf8');
  if (text.trim() === '') return [];
  const parsed = parse(markLongNumbers(text), text);
  const messages: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return messages.map((message) => {
    if (!isMessage(message)) throw unreadable(text, 'it is no JSON-RPC message');
    return message;
  });
}

/** @throws TypeError, RangeError for what is no JSON, or too much of it. */
export function lineOf(message: JsonRpcMessage): string {
  return `${unmarkLongNumbers(JSON.stringify(message))}\n`;
}

function parse(json: string, text: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw unreadable(text, 'it is no JSON', cause);
  }
}

function isMessage(value: unknown): value is JsonRpcMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { jsonrpc, method, id } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0') return false;
  if (typeof method === 'string') return id === undefined || isId(id);
  return ('result' in value || 'error' in value) && (id === null || id === undefined || isId(id));
}

const isId = (id: unknown): boolean => typeof id === 'string' || typeof id === 'number';

const SHOWN = 80;

function unreadable(text: string, why: string, cause?: unknown): MessageChannelError {
  const shown = JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text);
  return new MessageChannelError('MCP_CHANNEL_UNREADABLE', `A line was left out because ${why}: ${shown}`, {
    hint: 'An MCP server writes messages to standard output, one a line, and everything else to standard error.',
    cause,
  });
}

function tooLong(maxBytes: number): MessageChannelError {
  return new MessageChannelError('MCP_CHANNEL_FAILED', `A message is longer than ${maxBytes} bytes`, {
    hint: 'Ask for less at once.',
    data: { maxBytes },
  });
}
