import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { ChildProcessChannel, StreamMessageChannel } from '@cleveragents/mcp-adapter-sdk';
import { McpProxy, type ProxyReport } from '@cleveragents/mcp-application';
import { DEFAULT_CONTENT_READERS, type RootMapping } from '@cleveragents/mcp-domain';
import { CodedError, hasCode } from '@cleveragents/shared-kernel';
import { CliError } from '../cli.errors.ts';
import { exitCodeOfSignal } from '../exit-codes.ts';
import { plural, printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { passingSignalsOn } from './mcp-signals.ts';

export interface ProxyOptions extends CommonOptions {
  readonly map: readonly string[];
  readonly contentTool: readonly string[];
  readonly report: boolean;
}

/** Runs a server and stands between it and our own standard input and output until either goes; ends with the server's code. */
export async function proxyMcp(
  terminal: Terminal,
  command: readonly string[],
  { map, contentTool, report, project, json }: ProxyOptions,
): Promise<Outcome> {
  const mappings = await Promise.all(map.map((text) => parseMapping(text, project)));
  const [program = '', ...args] = command;
  const server = new ChildProcessChannel({ command: [program, ...args] });
  const proxy = withUsageErrors(
    () =>
      new McpProxy({
        client: new StreamMessageChannel({ input: process.stdin, output: process.stdout }),
        server,
        paths: { mappings, contentReaders: [...DEFAULT_CONTENT_READERS, ...contentTool] },
        findLeaks: report,
        onTrouble: (side, { message }) =>
          terminal.error(`warning: from the ${NAMES[side]}: ${printable(message)}\n`),
      }),
  );
  const done = await passingSignalsOn(server, () => runProxy(proxy, program));
  const exit = await server.exited;
  return {
    json: { exit, report: done },
    text: report ? reportText(done) : '',
    exitCode: exit.signal === null ? (exit.exitCode ?? 0) : exitCodeOfSignal(exit.signal),
    ...(!report && json ? { json: { exit } } : {}),
  };
}

const NAMES = { host: 'client', sandbox: 'server' } as const;

/** `HOST=SANDBOX`. The host's may be relative, need not exist, and is understood by its resolved name as well. */
async function parseMapping(text: string, project: string): Promise<RootMapping> {
  const parts = text.split('=');
  const places = parts
    .slice(1)
    .map((_part, index) => [parts.slice(0, index + 1).join('='), parts.slice(index + 1).join('=')] as const)
    .filter(([host, sandbox]) => host !== '' && isAbsolute(sandbox));
  const [only] = places;
  if (only === undefined || places.length > 1)
    throw new CliError(
      'CLI_USAGE',
      `It is not clear what ${JSON.stringify(text)} maps${only === undefined ? '' : ': it could be cut in several places'}`,
      {
        hint: 'Write --map HOST=SANDBOX, the sandbox with an absolute path: --map "$PWD=/workspace".',
        data: { map: text },
      },
    );
  const [host, sandbox] = [resolve(project, only[0]), only[1]];
  const resolved = await realPathOf(host);
  return { host, sandbox, ...(resolved === host ? {} : { hostAliases: [resolved] }) };
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG')) throw error;
    return path; // a host root need not be on this machine's disk
  }
}

function withUsageErrors<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof CodedError) || !error.code.startsWith('MCP_PATH_')) throw error;
    throw new CliError('CLI_USAGE', error.message, {
      hint: error.hint ?? 'Correct what is given with --map.',
      data: { ...error.data, reason: error.code },
      cause: error,
    });
  }
}

async function runProxy(proxy: McpProxy, program: string): Promise<ProxyReport> {
  try {
    return await proxy.run();
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'MCP_CHANNEL_FAILED') throw error;
    throw new CliError('CLI_COMMAND_NOT_STARTED', error.message, {
      hint: error.hint,
      data: { command: program },
      cause: error,
    });
  }
}

/** For people, on standard error. */
function reportText({ messages, rewritten, leaks, refused, unanswered, undelivered }: ProxyReport): string {
  const lines = [
    `Passed ${plural(messages.host, 'message')} to the server and ${plural(messages.sandbox, 'message')} to the client.`,
    `Rewrote ${plural(rewritten.sandbox, 'path')} for the server and ${plural(rewritten.host, 'path')} for the client.`,
    leaks.length === 0 ? 'No sandbox path reached the client.' : 'Sandbox paths that reached the client:',
    ...leaks.map(({ method, path, count }) => `  ${printable(path)}  (${printable(method)}, ${count} times)`),
    ...refused.map(
      ({ method, code, count }) => `Not passed on: ${count} times ${printable(method)}, ${code}.`,
    ),
  ];
  if (unanswered > 0)
    lines.push(`${plural(unanswered, 'request')} got an error because the other side had gone.`);
  if (undelivered > 0) lines.push(`${plural(undelivered, 'message')} found nobody to read it.`);
  return `${lines.join('\n')}\n`;
}
