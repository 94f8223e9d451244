import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@cleveragents/shared-testing';
import type { AnyClient, ClientKind } from './mcp-clients.ts';

/** Not on this disk: only the client believes in it. */
export const HOST = '/home/nobody-here/project';

const require = createRequire(import.meta.url);

/** Where a package of the reference servers begins. */
function entryOf(server: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/server-${server}/package.json`);
  return join(dirname(manifest), 'dist/index.js');
}

/** Keeps every byte before the client gets it. */
const KEEPER = `process.stdin.on('data', (bytes) => {
  require('node:fs').appendFileSync(process.env.TAP + '/wire', bytes);
  process.stdout.write(bytes);
});`;
/** Keeps what the proxy says on the side, and what it ended with, too. */
const TAPPED = '{ "$@"; echo $? > "$TAP/code"; } 2> "$TAP/errors" | "$NODE" -e "$KEEPER"';
/** Writes down its own process id, which becomes the server's. */
const NOTED = 'echo $$ > "$TAP/pid"; exec "$@"';

export interface ProxiedServer {
  readonly client: AnyClient;
  /** Directory of the server. */
  readonly sandbox: string;
  /** Every byte that went to the client so far. */
  wire(): string;
  /** What the proxy and the server said on the side. */
  errors(): string;
  exitCode(): number;
  serverPid(): number;
  stop(): Promise<void>;
}

/** What a server is started with, after `node`. */
function wordsOf(server: ProxiedServerName, sandbox: string): readonly string[] {
  if (server === 'modern') return [fileURLToPath(new URL('./modern-server.mjs', import.meta.url)), sandbox];
  return [entryOf(server), ...(server === 'filesystem' ? [sandbox] : [])];
}

export type ProxiedServerName = 'filesystem' | 'everything' | 'memory' | 'modern';

/** A reference server, or one of the newest revision, in a sandbox, and a client that reaches it through the proxy of the app that `cli` starts. */
export async function proxied(
  server: ProxiedServerName,
  { cli, kind }: { readonly cli: readonly string[]; readonly kind: ClientKind },
  files: Readonly<Record<string, string>> = {},
): Promise<ProxiedServer> {
  const folder = temporaryDirectory();
  const sandbox = join(folder.path, 'box');
  const tap = join(folder.path, 'tap');
  for (const path of [sandbox, tap]) mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(sandbox, name), text);
  const proxy = [...cli, 'mcp', 'proxy', '--report', '--map', `${HOST}=${sandbox}`, '--'];
  const command = ['sh', '-c', NOTED, 'sh', process.execPath, ...wordsOf(server, sandbox)];
  const client = await kind.connect({
    command: 'sh',
    args: ['-c', TAPPED, 'sh', ...proxy, ...command],
    env: {
      PATH: process.env['PATH'] ?? '',
      TAP: tap,
      NODE: process.execPath,
      KEEPER,
      WORKSPACE: sandbox,
      MEMORY_FILE_PATH: join(sandbox, 'memory.jsonl'),
      NODE_OPTIONS: '',
    },
    roots: [`file://${HOST}`],
  });
  const tapped = (name: string): string => readFileSync(join(tap, name), 'utf8');
  return {
    client,
    sandbox,
    wire: () => tapped('wire'),
    errors: () => tapped('errors'),
    exitCode: () => Number(tapped('code')),
    serverPid: () => Number(tapped('pid')),
    stop: async () => {
      await client.close();
      await folder.remove();
    },
  };
}
