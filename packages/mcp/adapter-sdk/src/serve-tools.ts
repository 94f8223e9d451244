import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolProvider } from '@cleveragents/mcp-ports';
import { StreamTransport } from './stream-transport.ts';
import { protocolServerOf, type ServerInfo } from './tool-protocol-server.ts';

export interface ServeToolsOptions extends ServerInfo {
  /** A fresh one for each connection. */
  readonly open: () => ToolProvider;
  readonly input: Readable;
  readonly output: Writable;
  /** Told of what went wrong beside the answers. */
  readonly onTrouble?: ((error: Error) => void) | undefined;
}

export interface ServingTools {
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves tools over two streams, in the era of the protocol in which the client opens: revision 2026-07-28, or those before it.
 * A client that goes cancels what it has called.
 */
export function serveTools({ open, input, output, onTrouble, ...info }: ServeToolsOptions): ServingTools {
  const ended = new Promise<void>((resolve) => {
    input
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    output.once('error', () => resolve());
  });
  const handle = serveStdio(() => protocolServerOf(open(), info), {
    transport: new StreamTransport(input, output),
    ...(onTrouble && { onerror: onTrouble }),
  });
  return {
    ended,
    close: async () => {
      await handle.close();
      input.destroy();
    },
  };
}
