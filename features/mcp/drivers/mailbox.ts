import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import type { ChannelListener } from '@cleveragents/mcp-ports';

/** The messages that came, to be waited for. */
export class Mailbox implements ChannelListener {
  readonly #messages: JsonRpcMessage[] = [];
  #wake: () => void = () => undefined;

  onMessage(message: JsonRpcMessage): void {
    this.#messages.push(message);
    this.#wake();
  }

  onClosed(): void {
    this.#wake();
  }

  async next(): Promise<JsonRpcMessage> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
