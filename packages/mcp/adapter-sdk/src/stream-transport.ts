import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isCall, type JsonRpcCall, type JsonRpcMessage } from '@cleveragents/mcp-domain';
import { MAX_MESSAGE_BYTES, MessageWriter, readMessages } from './message-streams.ts';

const INVALID_REQUEST = -32_600;

/**
 * The official server's way to its client, by our own streams: unlike the official one it reads batches (revision 2025-03-26),
 * answers ids of any length, and says in a line what was no message.
 */
export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #input: Readable;
  readonly #writer: MessageWriter;
  #isOver = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#writer = new MessageWriter(output);
  }

  start(): Promise<void> {
    readMessages({
      input: this.#input,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      listener: {
        onMessage: (message) => this.#receive(message),
        onTrouble: (error) => this.onerror?.(error),
      },
      onEnd: (error) => {
        if (error !== undefined) this.onerror?.(error);
        this.#end();
      },
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#writer.send(message as JsonRpcMessage);
  }

  /** The output is not ours to end: another message may still be on its way to the process that reads it. */
  close(): Promise<void> {
    this.#writer.shut();
    this.#end();
    return Promise.resolve();
  }

  #receive(message: JsonRpcMessage): void {
    const refusal = isCall(message) ? refusalOf(message) : undefined;
    if (refusal === undefined) this.onmessage?.(message as JSONRPCMessage);
    else if (isCall(message) && message.id !== undefined)
      this.#writer
        .send({ jsonrpc: '2.0', id: message.id, error: { code: INVALID_REQUEST, message: refusal } })
        .catch((error: unknown) => this.onerror?.(error as Error));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onclose?.();
  }
}

/** Why a call is none of MCP's, which the official server would pass over in silence. */
function refusalOf({ id, params }: JsonRpcCall): string | undefined {
  if (typeof id === 'number' && !Number.isInteger(id)) return 'The id must be a string or a whole number';
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
  return params === undefined || isObject ? undefined : 'The params must be an object';
}
