import type { JsonRpcMessage } from '@cleveragents/mcp-domain';

/** What came over a channel, to be taken one by one. */
export class Inbox {
  readonly #messages: JsonRpcMessage[] = [];
  readonly #takers: ((message: JsonRpcMessage) => void)[] = [];
  #closed: () => void = () => undefined;
  /** Resolves when the channel is closed. */
  readonly closed = new Promise<void>((resolve) => {
    this.#closed = resolve;
  });

  onMessage(message: JsonRpcMessage): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#messages.push(message);
    else taker(message);
  }

  onClosed(): void {
    this.#closed();
  }

  /** The next message; waits for it. */
  next(): Promise<JsonRpcMessage> {
    const message = this.#messages.shift();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** What came and was not taken. */
  get rest(): readonly JsonRpcMessage[] {
    return [...this.#messages];
  }
}
