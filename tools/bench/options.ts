import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `npm run bench -- [options]
  --rows 1,5,6   only these rows (all)
  --rounds N     measured rounds, at least 5 (7)
  --large        also the repository of 50,000 files
  --dir DIR      where the data lies (/dev/shm where there is one, else the temporary folder)
  --json FILE    write everything that was measured
`;

const FEWEST_ROUNDS = 5;
const MEMORY = '/dev/shm';

export interface BenchOptions {
  /** Empty: all rows. */
  readonly rows: readonly number[];
  readonly rounds: number;
  readonly large: boolean;
  /** Absolute. A memory file system unless somebody asked for another one: what a disk costs drowns everything else. */
  readonly dir: string;
  readonly json: string | undefined;
}

/** @throws Error for anything it does not know. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '' },
      rounds: { type: 'string', default: '7' },
      large: { type: 'boolean', default: false },
      dir: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const rounds = wholeNumber(values.rounds, '--rounds');
  if (rounds < FEWEST_ROUNDS) throw new Error(`--rounds must be at least ${FEWEST_ROUNDS}`);
  return {
    rows: values.rows
      .split(',')
      .filter((part) => part !== '')
      .map((part) => wholeNumber(part, '--rows')),
    rounds,
    large: values.large,
    dir: resolve(values.dir ?? (existsSync(MEMORY) ? MEMORY : tmpdir())),
    json: values.json === undefined ? undefined : resolve(values.json),
  };
}

function wholeNumber(text: string, option: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${option}: "${text}" is not a whole number`);
  return Number(text);
}
