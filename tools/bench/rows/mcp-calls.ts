import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { McpMessageRewriter } from '@cleveragents/mcp-domain';
import { McpServerProcess } from '../mcp-server-process.ts';
import type { BenchContext, BenchRow, Contender, RowFile } from '../row.ts';

const COUNT = 1000;
const numbers = Array.from({ length: COUNT }, (_, index) => index);
/** About 3 KB each, as sources are. */
const textOf = (index: number): string =>
  `first line of ${index}\n${'const value = compute(first, second);\n'.repeat(80)}`;

/** An agent that reads and edits one file after the other, over stdio. */
export const fileToolCalls: RowFile = {
  number: 8,
  make: (context) => {
    const reference = server(context, (directory) => [referenceServer(context), directory]);
    const own = server(context, (directory) => [
      ...cli(context, 'mcp', 'serve', '--root', directory, '--project', directory),
    ]);
    return [row('file reads', reads(reference), reads(own)), row('edits', edits(reference), edits(own))];
  },
};

/** Beside the rewriting of large results: what stands between a client and the server it had before. */
export const smallCalls: RowFile = {
  number: 9,
  make: (context) => {
    const direct = server(context, (directory) => [referenceServer(context), directory]);
    const relayed = server(context, (directory) => [
      '-e',
      RELAY,
      process.execPath,
      referenceServer(context),
      directory,
    ]);
    const proxied = server(context, (directory) => [
      ...cli(context, 'mcp', 'proxy', '--map', `${HOST}=${directory}`, '--'),
      ...[process.execPath, referenceServer(context), directory],
    ]);
    return [
      {
        number: smallCalls.number,
        title: `${COUNT} small calls, with and without the rewriting of both messages`,
        goal: { metric: 'wall', atMost: 1.1 },
        contenders: [
          { ...infos('called', direct), baseline: true },
          rewrittenInfos('called and rewritten', direct),
        ],
      },
      {
        number: smallCalls.number,
        title: `${COUNT} small calls to a server that is a process, through another process`,
        goal: { metric: 'wall', atMost: 1.1 },
        contenders: [
          infos('directly', direct),
          { ...infos('through a relay that reads nothing', relayed), baseline: true },
          infos('through mcp proxy', proxied, HOST),
        ],
      },
    ];
  },
};

const HOST = '/home/nobody-here/project';

const RELAY = `
const child = require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
`;

interface BenchServer {
  readonly process: McpServerProcess;
  readonly directory: string;
  /** As the reference server has its tools, or as we have them. */
  readonly isReference: boolean;
}

function server(
  context: BenchContext,
  wordsFor: (directory: string) => readonly string[],
): () => BenchServer {
  let opened: BenchServer | undefined;
  return () => {
    if (opened !== undefined) return opened;
    const directory = join(context.folder('mcp'), 'files');
    mkdirSync(directory);
    for (const index of numbers) writeFileSync(join(directory, nameOf(index)), textOf(index));
    const words = wordsFor(directory);
    const env = { ...context.environment, HOME: directory, XDG_STATE_HOME: join(directory, '..') };
    opened = {
      process: new McpServerProcess(words, env),
      directory,
      isReference: words.includes(referenceServer(context)),
    };
    return opened;
  };
}

const nameOf = (index: number): string => `file-${index}.ts`;
const referenceServer = ({ root }: BenchContext): string =>
  join(
    dirname(
      createRequire(join(root, 'package.json')).resolve(
        '@modelcontextprotocol/server-filesystem/package.json',
      ),
    ),
    'dist/index.js',
  );
const cli = ({ root }: BenchContext, ...words: readonly string[]): readonly string[] => [
  join(root, 'apps/cli/bundle/cleveragents.js'),
  ...words,
];

function row(what: string, reference: Contender, own: Contender): BenchRow {
  return {
    number: fileToolCalls.number,
    title: `${COUNT} ${what} over MCP stdio`,
    goal: { metric: 'cpu', atMost: 0.5 },
    contenders: [
      { ...reference, name: 'server-filesystem', baseline: true },
      { ...own, name: 'mcp serve --root' },
    ],
  };
}

/** `each` once for each file; a server is started before the first round, and stays. */
function calls(
  name: string,
  open: () => BenchServer,
  each: (bench: BenchServer, index: number) => Promise<void>,
): Contender {
  return {
    name,
    prepare: () => open().process.wake(),
    run: async (meter) => {
      const bench = open();
      await meter.asking(bench.process.processId, async () => {
        for (const index of numbers) await each(bench, index);
      });
    },
    cleanup: () => open().process.rest(),
  };
}

function reads(open: () => BenchServer): Contender {
  return calls('reads', open, async ({ process: asked, directory, isReference }, index) => {
    const answer = isReference
      ? await asked.call('read_text_file', { path: join(directory, nameOf(index)) })
      : await asked.call('file_read', { path: nameOf(index) });
    if (answer.content[0]?.text?.includes(` line of ${index}`) !== true)
      throw new Error('something else was read');
  });
}

function edits(open: () => BenchServer): Contender {
  let round = 0;
  const word = (number: number): string => (number % 2 === 0 ? 'first' : 'other');
  const edit = calls('edits', open, async ({ process: asked, directory, isReference }, index) => {
    const [from, to] = [round, round + 1].map((number) => `${word(number)} line of ${index}\n`);
    await (isReference
      ? asked.call('edit_file', {
          path: join(directory, nameOf(index)),
          edits: [{ oldText: from, newText: to }],
        })
      : asked.call('file_edit', { path: nameOf(index), old_text: from, new_text: to }));
  });
  return {
    ...edit,
    verify: () => {
      round += 1;
      for (const index of numbers)
        if (
          readFileSync(join(open().directory, nameOf(index)), 'utf8') !==
          textOf(index).replace('first', word(round))
        )
          throw new Error('a file was not edited as it should');
    },
  };
}

function infos(name: string, open: () => BenchServer, root?: string): Contender {
  return calls(name, open, async ({ process: asked, directory }, index) => {
    const path = join(root ?? directory, nameOf(index));
    await asked.call('get_file_info', { path });
  });
}

/** By what the proxy does with a message once it has it. */
function rewrittenInfos(name: string, open: () => BenchServer): Contender {
  let rewriter: McpMessageRewriter | undefined;
  return calls(name, open, async ({ process: asked, directory }, index) => {
    rewriter ??= new McpMessageRewriter({ hostRoot: HOST, sandboxRoot: directory });
    const call = { name: 'get_file_info', arguments: { path: join(HOST, nameOf(index)) } };
    const { params } = rewriter.rewriteCall(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      { to: 'sandbox' },
    );
    const result = await asked.call(call.name, (params as typeof call).arguments);
    rewriter.rewriteAnswer(
      { jsonrpc: '2.0', id: 1, result },
      { to: 'host', method: 'tools/call', tool: call.name },
    );
  });
}
