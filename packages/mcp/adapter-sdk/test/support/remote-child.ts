import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonRpcMessage } from '@cleveragents/mcp-domain';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import { Inbox } from './inbox.ts';

/** Joins its standard streams to a socket, both ways, and ends when either side does. */
const RELAY = `
const socket = require('node:net').connect(process.argv[1]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
`;

/** A child process that says what the test says, through a socket. */
export interface RemoteChild {
  readonly command: readonly [string, ...string[]];
  send(message: JsonRpcMessage): Promise<void>;
  next(): Promise<JsonRpcMessage>;
  hangUp(): Promise<void>;
  remove(): void;
}

export async function remoteChild(): Promise<RemoteChild> {
  const folder = temporaryDirectory();
  const path = join(folder.path, 'socket');
  const inbox = new Inbox();
  let socket: Socket | undefined;
  const unsent: string[] = [];
  const server = createServer((connection) => {
    socket = connection;
    for (const line of unsent.splice(0)) connection.write(line);
    createInterface({ input: connection, crlfDelay: Infinity }).on('line', (line) =>
      inbox.onMessage(JSON.parse(line) as JsonRpcMessage),
    );
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    command: [process.execPath, '-e', RELAY, path],
    send: (message) => {
      const line = `${JSON.stringify(message)}\n`;
      if (socket === undefined) unsent.push(line);
      else socket.write(line);
      return Promise.resolve();
    },
    next: () => inbox.next(),
    hangUp: async () => {
      while (socket === undefined) await new Promise((resolve) => server.once('connection', resolve));
      socket.end();
    },
    remove: () => {
      socket?.destroy();
      server.close();
      void folder.remove();
    },
  };
}
