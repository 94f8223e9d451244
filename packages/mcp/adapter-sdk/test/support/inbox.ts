import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import type { MessageChannelError } from '@cleveragents/mcp-ports';

/** What came over a channel, to be taken one by one. */
export class Inbox {
  readonly #messages: JsonRpcMessage[] = [];
  readonly #takers: ((message: JsonRpcMessage) => void)[] = [];
  readonly troubles: MessageChannelError[] = [];
  #closed: (error: MessageChannelError | undefined) => void = () => undefined;
  /** Resolves when the channel is closed, with the reason when there was one. */
  readonly closed = new Promise<MessageChannelError | undefined>((resolve) => {
    this.#closed = resolve;
  });

  onMessage(message: JsonRpcMessage): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#messages.push(message);
    else taker(message);
  }

  onTrouble(error: MessageChannelError): void {
    this.troubles.push(error);
  }

  onClosed(error?: MessageChannelError): void {
    this.#closed(error);
  }

  /** The next message; waits for it. */
  next(): Promise<JsonRpcMessage> {
    const message = this.#messages.shift();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => this.#takers.push(resolve));
  }
}
