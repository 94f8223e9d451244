import { type Command, InvalidArgumentError, Option } from 'commander';
import { runAction, withCommonOptions } from './commands/command-action.ts';
import type { ProxyOptions } from './commands/mcp-proxy.ts';
import type { ServeOptions } from './commands/mcp-serve.ts';
import type { Terminal } from './terminal.ts';

/** The commands of `cleveragents mcp`. Their standard output belongs to the protocol: whatever they have to say goes to `error`. */
export function addMcpCommands(program: Command, terminal: Terminal): void {
  const mcp = program.command('mcp').description('speak the Model Context Protocol (MCP)');
  const aside: Terminal = { ...terminal, out: (text) => terminal.error(textOf(text)) };
  addServe(mcp, aside, program.version() ?? '0.0.0');
  addProxy(mcp, aside);
}

function textOf(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
}

function addProxy(mcp: Command, terminal: Terminal): void {
  const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  const proxy = mcp
    .command('proxy')
    .description('stand before an MCP server that runs in a sandbox, so that each side reads its own paths')
    .passThroughOptions()
    .argument('<command...>', 'the server and its arguments, best after --')
    .requiredOption(
      '--map <host=sandbox>',
      'a directory on the host and its name in the sandbox (repeatable)',
      collect,
      [],
    )
    .option(
      '--content-tool <name>',
      'a tool whose answers are the content of files, to be passed as they are (repeatable)',
      collect,
      [],
    )
    .option('--report', 'say at the end how many paths were rewritten, and which of the sandbox left', false);
  withCommonOptions(proxy, [
    'cleveragents mcp proxy --map "$PWD=/workspace" -- docker exec -i box mcp-server-filesystem /workspace',
    'cleveragents mcp proxy --map .=/workspace --map ~/data=/data --report -- ssh box my-mcp-server',
  ]).action((command: string[], options: ProxyOptions) =>
    runAction(terminal, 'mcp proxy', options, async () =>
      (await import('./commands/mcp-proxy.ts')).proxyMcp(terminal, command, options),
    ),
  );
}

function addServe(mcp: Command, terminal: Terminal, version: string): void {
  const serve = mcp
    .command('serve')
    .description("offer file tools in a plan's sandbox, and its checkpoints, to an MCP client")
    .option('--plan <id>', 'plan id; the only open plan when it is left out')
    .option('--root <dir>', 'offer the file tools in this directory instead, without a plan')
    .option(
      '--http <port>',
      'serve streamable HTTP on this machine, not stdio; 0: any free port; the token is $CLEVERAGENTS_MCP_TOKEN, or made up',
      parsePort,
    )
    .option('--allow-apply', 'offer to apply the plan, too', false)
    .addOption(
      new Option('--checkpoint <when>', 'take a checkpoint before a tool that writes').choices(['pre_write']),
    );
  withCommonOptions(serve, [
    'cleveragents mcp serve --plan fix-parser --checkpoint pre_write',
    'cleveragents mcp serve --root docs',
    'CLEVERAGENTS_MCP_TOKEN=... cleveragents mcp serve --http 7331 --allow-apply',
  ]).action((options: ServeOptions) =>
    runAction(terminal, 'mcp serve', options, async () =>
      (await import('./commands/mcp-serve.ts')).serveMcp(terminal, options, version),
    ),
  );
}

function parsePort(value: string): number {
  const port = Number(value);
  if (value.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
  return port;
}
