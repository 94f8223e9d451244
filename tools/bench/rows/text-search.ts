import { execFileSync } from 'node:child_process';
import {
  findRipgrep,
  JavaScriptTextSearcher,
  RipgrepTextSearcher,
} from '@cleveragents/file-tools-adapter-fs';
import type { SearchOutcome, TextSearcher } from '@cleveragents/file-tools-ports';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import type { RepositoryName } from '../repositories.ts';
import type { BenchContext, BenchRow, Contender, RowFile } from '../row.ts';

/** What an agent asks most often, against the programs that a person would ask. */
export const textSearch: RowFile = {
  number: 7,
  make: async (context) => {
    const executable = await findRipgrep();
    const javascript = new JavaScriptTextSearcher();
    const rows = [
      row(context, { pattern: LITERAL, literal: true }, javascript, gitGrep('-F'), 2),
      row(context, { pattern: EXPRESSION, literal: false }, javascript, gitGrep('-P'), 0.5),
      row(context, { pattern: EXPRESSION, literal: false }, javascript, gitGrep('-E'), 0.5),
      row(context, { pattern: WITHOUT_LITERAL, literal: false }, javascript, gitGrep('-P'), 0.5),
      row(context, { pattern: WITHOUT_LITERAL, literal: false }, javascript, gitGrep('-E'), 0.5),
    ];
    if (executable === undefined) return Promise.all(rows);
    const ripgrep = new RipgrepTextSearcher({ executable, otherwise: javascript });
    const itself = [executable, ...RIPGREP_ARGUMENTS];
    const literal = { pattern: LITERAL, literal: true };
    return Promise.all([row(context, literal, ripgrep, itself, 1.1), ...rows]);
  },
};

const REPOSITORY: RepositoryName = 'r10k';
/** On some dozen lines, as a name that somebody looks for. */
const LITERAL = 'checkpoint777';
/** In the dialect of all three, with a text that every match holds. */
const EXPRESSION = '\\bworktree77[0-9]+\\(';
/** Nothing that every match holds, so that every line must be looked at. */
const WITHOUT_LITERAL = '[a-z]+(99|77)77[0-9]\\b';
const MAXIMUM_RESULTS = 10_000;

const RIPGREP_ARGUMENTS = ['--no-config', '--no-ignore', '--hidden', '--line-number', '--column', '-F', '--'];

function gitGrep(dialect: string): readonly string[] {
  return ['git', 'grep', '--line-number', '--column', dialect, '-e'];
}

interface Wanted {
  readonly pattern: string;
  readonly literal: boolean;
}

async function row(
  context: BenchContext,
  wanted: Wanted,
  searcher: TextSearcher,
  program: readonly string[],
  atMost: number,
): Promise<BenchRow> {
  const cwd = context.repository(REPOSITORY);
  const isRipgrep = searcher instanceof RipgrepTextSearcher;
  const words = [...program, wanted.pattern, ...(isRipgrep ? ['./'] : [])];
  const name = isRipgrep ? 'ripgrep' : program.filter((word) => !word.startsWith('--')).join(' ');
  return {
    number: textSearch.number,
    title: `search ${wanted.literal ? 'a literal' : `/${wanted.pattern}/`}: ${REPOSITORY}`,
    goal: { metric: 'wall', atMost },
    contenders: [
      {
        name: name.replace(/ -e$/, ''),
        baseline: true,
        run: (meter) => meter.command(words, { cwd, env: context.environment }),
      },
      await ours(context, wanted, searcher, linesOf(words, cwd, context)),
    ],
  };
}

async function ours(
  { repository }: BenchContext,
  { pattern, literal }: Wanted,
  searcher: TextSearcher,
  expected: readonly string[],
): Promise<Contender> {
  const files = await openRootedFileSystem(repository(REPOSITORY));
  let outcome: SearchOutcome | undefined;
  return {
    name: searcher.constructor.name,
    run: async () => {
      const query = { directory: '.', pattern, literal, context: 0, maxResults: MAXIMUM_RESULTS };
      outcome = await searcher.search(query, files);
    },
    verify: () => {
      const found = (outcome?.matches ?? []).map(({ path, line, column }) => `${path}:${line}:${column}`);
      if (found.length === 0 || found.sort().join() !== expected.join())
        throw new Error(`${found.length} lines were found, not the ${expected.length} of the other program`);
    },
  };
}

/** `path:line:column` of what the other program finds. */
function linesOf(words: readonly string[], cwd: string, { environment }: BenchContext): readonly string[] {
  const [command = '', ...args] = words;
  const output = execFileSync(command, args, {
    cwd,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 256 * 2 ** 20,
  });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^(?:\.\/)?(.*?:\d+:\d+):/.exec(line)?.[1] ?? line)
    .sort();
}
