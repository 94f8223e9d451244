import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchOptions, parseOptions, USAGE } from './options.ts';
import { randomNumbers } from './random.ts';
import { type Failure, machine, sizeTable, table } from './report.ts';
import { hermeticEnvironment, makeRepository, type RepositoryName } from './repositories.ts';
import type { BenchContext, RowFile } from './row.ts';
import { rowFiles } from './rows/index.ts';
import { type RowResult, runRow, runSizeRow, type SizeResult } from './runner.ts';

const ORDER_SEED = 1;

interface Results {
  readonly rows: RowResult[];
  readonly sizes: SizeResult[];
}

async function bench(options: BenchOptions): Promise<readonly Failure[]> {
  const data = mkdtempSync(join(options.dir, 'cleveragents-bench-'));
  const results: Results = { rows: [], sizes: [] };
  const failures: Failure[] = [];
  try {
    const context = contextIn(data, options);
    for (const file of chosen(options)) await runFile(file, context, options, results, failures);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  const about = { ...machine(options), rounds: options.rounds };
  const tables = [
    ...(results.rows.length > 0 ? [table(results.rows)] : []),
    ...(results.sizes.length > 0 ? [sizeTable(results.sizes)] : []),
  ];
  console.log(`\n${tables.join('\n\n')}\n\n${JSON.stringify(about, null, 2)}`);
  for (const { number, title, message } of failures) console.error(`row ${number}, ${title}: ${message}`);
  if (options.json !== undefined)
    writeFileSync(
      options.json,
      `${JSON.stringify({ machine: about, results: results.rows, sizes: results.sizes, failures }, null, 2)}\n`,
    );
  return failures;
}

function chosen({ rows }: BenchOptions): readonly RowFile[] {
  const unknown = rows.filter((number) => !rowFiles.some((file) => file.number === number));
  if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(', ')}`);
  return rowFiles.filter((file) => rows.length === 0 || rows.includes(file.number));
}

function contextIn(data: string, { large }: BenchOptions): BenchContext {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const made = new Map<RepositoryName, string>();
  return {
    root,
    large,
    environment: hermeticEnvironment,
    folder: (prefix) => mkdtempSync(join(data, `${prefix}-`)),
    repository: (name) => {
      const path = made.get(name) ?? join(data, name);
      if (!made.has(name)) makeRepository(name, path, root);
      made.set(name, path);
      return path;
    },
  };
}

/** A row that fails does not keep the others from being measured. */
async function runFile(
  file: RowFile,
  context: BenchContext,
  { rounds }: BenchOptions,
  results: Results,
  failures: Failure[],
): Promise<void> {
  const failed = (title: string, error: unknown): void => {
    failures.push({
      number: file.number,
      title,
      message: error instanceof Error ? error.message : String(error),
    });
  };
  const rows = await Promise.resolve(context)
    .then(file.make)
    .catch((error: unknown) => {
      failed('its data', error);
      return [];
    });
  for (const row of rows) {
    console.log(`row ${row.number}: ${row.title}`);
    const running =
      'sizes' in row
        ? runSizeRow(row).then((result) => results.sizes.push(result))
        : runRow(row, rounds, randomNumbers(ORDER_SEED)).then((result) => results.rows.push(result));
    await running.catch((error: unknown) => failed(row.title, error));
  }
}

try {
  const failures = await bench(parseOptions(process.argv.slice(2)));
  process.exitCode = failures.length === 0 ? 0 : 1;
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
