import type { Readable, Writable } from 'node:stream';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { type ChannelListener, MessageChannelError } from '@cleveragents/mcp-ports';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { lineOf, LineSplitter, messagesOf } from './message-line.ts';

/** More than any server sends on purpose, and less than a string can hold. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

export interface ReadMessages {
  readonly input: Readable;
  readonly maxMessageBytes: number;
  readonly listener: Pick<ChannelListener, 'onMessage' | 'onTrouble'>;
  /** Once: nothing more will come. `error` when that was not meant. */
  readonly onEnd: (error?: MessageChannelError) => void;
}

/** Reads messages to the end of a stream. */
export function readMessages({ input, maxMessageBytes, listener, onEnd }: ReadMessages): void {
  const splitter = new LineSplitter(maxMessageBytes);
  let isOver = false;
  const end = (error?: MessageChannelError): void => {
    if (isOver) return;
    isOver = true;
    onEnd(error);
  };
  const deliver = (line: Buffer): void => {
    try {
      for (const message of messagesOf(line)) listener.onMessage(message);
    } catch (error) {
      if (!hasCode(error, 'MCP_CHANNEL_UNREADABLE')) throw error;
      listener.onTrouble?.(error as MessageChannelError);
    }
  };
  input.on('data', (chunk: Buffer) => {
    if (isOver) return;
    try {
      for (const line of splitter.take(chunk)) deliver(line);
    } catch (error) {
      if (!hasCode(error, 'MCP_CHANNEL_FAILED')) throw error;
      end(error as MessageChannelError);
    }
  });
  input.on('error', (cause) => end(broken(cause)));
  input.on('end', () => {
    if (!isOver) deliver(splitter.rest());
    end();
  });
  input.on('close', () => end());
  if (input.readableEnded || input.destroyed) end();
}

/** Writes messages to a stream, whole and in order. */
export class MessageWriter {
  readonly #output: Writable;
  readonly #writing = new Set<Promise<void>>();
  #isOpen = true;

  constructor(output: Writable) {
    this.#output = output;
    output.on('error', () => undefined); // each write tells of its own
  }

  // async: a message that is no JSON rejects, and throws nothing
  async send(message: JsonRpcMessage): Promise<void> {
    if (!this.#isOpen) throw closedError();
    const writing = this.#write(lineOf(message));
    this.#writing.add(writing);
    try {
      await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }

  /** Refuses what comes from now on. */
  shut(): void {
    this.#isOpen = false;
  }

  /** Resolves when what was sent has been written, or cannot be, and the stream is at its end. */
  async end(): Promise<void> {
    this.shut();
    await Promise.allSettled(this.#writing);
    if (!this.#output.writableEnded) this.#output.end();
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(line, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(hasCode(error, ...READER_IS_GONE) ? closedError(error) : broken(error));
      });
    });
  }
}

const READER_IS_GONE = [
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_PREMATURE_CLOSE',
];

export function broken(cause: unknown): MessageChannelError {
  return new MessageChannelError('MCP_CHANNEL_FAILED', `The connection broke: ${messageOf(cause)}`, {
    hint: 'Connect again.',
    cause,
  });
}

export function closedError(cause?: unknown): MessageChannelError {
  return new MessageChannelError('MCP_CHANNEL_CLOSED', 'The channel is closed', {
    hint: 'Open a new connection.',
    cause,
  });
}
