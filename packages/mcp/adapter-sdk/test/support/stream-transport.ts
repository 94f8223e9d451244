import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import { StreamMessageChannel } from '@cleveragents/mcp-adapter-sdk';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';

/** An official client's way to a server at the other end of two streams. */
export function streamTransport(input: Readable, output: Writable): Transport {
  const channel = new StreamMessageChannel({ input, output });
  const transport: Transport = {
    start: () =>
      channel.start({
        onMessage: (message) => transport.onmessage?.(message as never),
        onClosed: () => transport.onclose?.(),
      }),
    send: (message) => channel.send(message as JsonRpcMessage),
    close: () => channel.close(),
  };
  return transport;
}
