import type { Readable, Writable } from 'node:stream';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import type { ChannelListener, MessageChannel, MessageChannelError } from '@cleveragents/mcp-ports';
import { closedError, MAX_MESSAGE_BYTES, MessageWriter, readMessages } from './message-streams.ts';

export interface StreamMessageChannelOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** A longer message ends the channel. Default: 256 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

/**
 * Messages over two streams, one a line: by our own standard input and output, the connection to the client that started us.
 *
 * The end of the input is the end of the channel. Closing writes what was sent and does not wait for the other side to go,
 * which sees the end when the process ends.
 */
export class StreamMessageChannel implements MessageChannel {
  readonly #input: Readable;
  readonly #writer: MessageWriter;
  readonly #maxMessageBytes: number;
  #listener: ChannelListener | undefined;
  #closing: Promise<void> | undefined;
  #hasEnded = false;

  constructor({ input, output, maxMessageBytes = MAX_MESSAGE_BYTES }: StreamMessageChannelOptions) {
    this.#input = input;
    this.#writer = new MessageWriter(output);
    this.#maxMessageBytes = maxMessageBytes;
  }

  start(listener: ChannelListener): Promise<void> {
    if (this.#listener !== undefined) throw new Error('A channel is started once');
    this.#listener = listener;
    setImmediate(() => this.#read(listener)); // a stream may tell of its end at once, and this must have resolved by then
    return Promise.resolve();
  }

  send(message: JsonRpcMessage): Promise<void> {
    return this.#listener === undefined ? Promise.reject(closedError()) : this.#writer.send(message);
  }

  close(): Promise<void> {
    this.#closing ??= this.#writer.end().then(() => {
      this.#input.destroy();
      this.#end();
    });
    return this.#closing;
  }

  #read(listener: ChannelListener): void {
    readMessages({
      input: this.#input,
      maxMessageBytes: this.#maxMessageBytes,
      listener: {
        onMessage: (message) => void (this.#hasEnded || listener.onMessage(message)),
        onTrouble: (error) => listener.onTrouble?.(error),
      },
      onEnd: (error) => {
        this.#writer.shut();
        this.#end(error);
      },
    });
  }

  #end(error?: MessageChannelError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listener?.onClosed(error);
  }
}
