import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import type { MessageChannelError } from './message-channel.errors.ts';

/** What a channel tells of, one thing at a time. None of them may throw. */
export interface ChannelListener {
  /** The messages of the other side, each once, in the order in which it sent them. */
  onMessage(message: JsonRpcMessage): void;
  /**
   * Once, at the end, whichever side closed, after the last message; not before `start` has resolved.
   * `error` says why, when it was not meant.
   */
  onClosed(error?: MessageChannelError): void;
  /** Something went wrong that does not end the channel. */
  onTrouble?(error: MessageChannelError): void;
}

/** One end of a two-way, ordered connection that carries JSON-RPC messages whole. */
export interface MessageChannel {
  /**
   * Begins to deliver, with what was sent before. To be called once.
   * @throws MessageChannelError `MCP_CHANNEL_FAILED` when there is nobody on the other side; `onClosed` is not called then.
   */
  start(listener: ChannelListener): Promise<void>;
  /**
   * Messages arrive in the order of the calls, awaited or not. Resolves when the message is on its way, which does not mean
   * that it was read. The message must not be changed afterwards.
   * @throws MessageChannelError `MCP_CHANNEL_CLOSED`, `MCP_CHANNEL_FAILED`.
   */
  send(message: JsonRpcMessage): Promise<void>;
  /**
   * Lets what was sent arrive, tells the other side, and resolves when it is gone: messages it sends until then are still
   * delivered. Closing twice is closing once.
   */
  close(): Promise<void>;
}
