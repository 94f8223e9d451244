import { SandboxPathRewriter } from '@cleveragents/mcp-domain';
import type { BenchRow, RowFile } from '../row.ts';

const SIZE = 10_000_000;
const HOST = '/home/user/project';
const SANDBOX = '/workspace';

interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: unknown;
}

/** What a proxy adds to a large answer that it has to parse and write anyway. */
export const pathRewriting: RowFile = {
  number: 9,
  make: () => [
    row('matches with their text twin', twins()),
    row('lines of a search', { content: [{ type: 'text', text: searchLines(SIZE) }] }),
    row('a log with few paths', { content: [{ type: 'text', text: log(SIZE) }] }),
  ],
};

function fill(size: number, line: (index: number) => string): string {
  const lines: string[] = [];
  for (let length = 0; length < size; length += lines.at(-1)?.length ?? 1) lines.push(line(lines.length));
  return lines.join('');
}

const searchLines = (size: number): string =>
  fill(
    size,
    (index) => `${SANDBOX}/src/module-${index % 500}/file.ts:${index}:3: const half = whole / 2; // a/b\n`,
  );

const log = (size: number): string =>
  fill(size, (index) =>
    index % 50 === 0
      ? `building ${SANDBOX}/packages/module-${index}\n`
      : `[${index}] GET https://example.com/a/b/${index} 200 and/or nothing else\n`,
  );

function twins(): ToolResult {
  const matches = Array.from({ length: SIZE / 280 }, (_, index) => ({
    path: `${SANDBOX}/src/module-${index % 500}/file-${index}.ts`,
    line: index,
    column: 3,
    text: '  const value = compute(first, second);',
  }));
  return { content: [{ type: 'text', text: JSON.stringify({ matches }) }], structuredContent: { matches } };
}

function row(title: string, result: ToolResult): BenchRow {
  const rewriter = new SandboxPathRewriter({ hostRoot: HOST, sandboxRoot: SANDBOX });
  const message = JSON.stringify(result);
  let rewritten: unknown;
  return {
    number: pathRewriting.number,
    title: `rewrite a tool result of ${Math.round(message.length / 1e6)} MB: ${title}`,
    goal: { metric: 'cpu', atMost: 1 },
    contenders: [
      {
        name: 'JSON.parse + JSON.stringify',
        baseline: true,
        run: () => {
          rewritten = JSON.stringify(JSON.parse(message));
        },
      },
      {
        name: 'rewriteResult',
        run: () => {
          const copy = rewriter.rewriteResult(result);
          // strings put together from parts are made whole when they are first read, which belongs to the work
          for (const { text } of copy.content) text.charCodeAt(text.length - 1);
          rewritten = copy;
        },
        verify: () => {
          const written = JSON.stringify(rewritten);
          if (written.includes(SANDBOX) || !written.includes(`${HOST}/`))
            throw new Error('a path was missed');
        },
      },
    ],
  };
}
