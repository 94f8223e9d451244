import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { type ChannelListener, type MessageChannel, MessageChannelError } from '@cleveragents/mcp-ports';

/** Two ends of one connection within a process: what one sends, the other gets, as a copy, one at a time. */
export function channelPair(): readonly [MessageChannel, MessageChannel] {
  const left = new ChannelEnd();
  const right = new ChannelEnd();
  left.connect(right);
  right.connect(left);
  return [left, right];
}

type Delivery = { readonly message: JsonRpcMessage } | { readonly closed: true };

class ChannelEnd implements MessageChannel {
  #peer: ChannelEnd | undefined;
  #listener: ChannelListener | undefined;
  readonly #waiting: Delivery[] = [];
  #delivering: Promise<void> | undefined;
  #isOpen = true;
  #ended = false;

  connect(peer: ChannelEnd): void {
    this.#peer = peer;
  }

  start(listener: ChannelListener): Promise<void> {
    if (this.#listener !== undefined) throw new Error('A channel is started once');
    this.#listener = listener;
    void this.#deliver();
    return Promise.resolve();
  }

  // async: a message that is no JSON rejects, and throws nothing
  async send(message: JsonRpcMessage): Promise<void> {
    if (!this.#isOpen || this.#listener === undefined) throw closedError();
    this.#peer?.take({ message: copied(message) });
  }

  async close(): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#peer?.take({ closed: true });
      this.take({ closed: true });
    }
    await this.#deliver();
  }

  take(delivery: Delivery): void {
    this.#waiting.push(delivery);
    void this.#deliver();
  }

  /** In a later turn, so that nobody is called back from within a call of their own. */
  #deliver(): Promise<void> {
    if (this.#listener === undefined) return Promise.resolve();
    this.#delivering ??= Promise.resolve().then(() => {
      this.#delivering = undefined;
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
        this.#hand(next);
    });
    return this.#delivering;
  }

  #hand(delivery: Delivery): void {
    if (this.#ended) return;
    if ('message' in delivery) return this.#listener?.onMessage(delivery.message);
    this.#ended = true;
    this.#isOpen = false;
    this.#listener?.onClosed();
  }
}

/** What any wire would make of it. */
function copied(message: JsonRpcMessage): JsonRpcMessage {
  return JSON.parse(JSON.stringify(message)) as JsonRpcMessage;
}

function closedError(): MessageChannelError {
  return new MessageChannelError('MCP_CHANNEL_CLOSED', 'The channel is closed', {
    hint: 'Open a new connection.',
  });
}
