import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, platform, release } from 'node:os';
import type { Usage } from './meter.ts';
import type { BenchOptions } from './options.ts';
import type { ContenderResult, RowResult, SizeResult } from './runner.ts';

export interface Failure {
  readonly number: number;
  readonly title: string;
  readonly message: string;
}

/** What absolute figures depend on, and ratios much less. */
export interface Machine {
  readonly node: string;
  readonly git: string;
  readonly system: string;
  readonly processors: string;
  readonly dir: string;
  readonly fileSystem: string;
}

export function machine({ dir }: BenchOptions): Machine {
  const output = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { encoding: 'utf8' }).trim();
  return {
    node: process.version,
    git: output('git', '--version').replace('git version ', ''),
    system: `${platform()} ${release()}`,
    processors: `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}`,
    dir,
    fileSystem: platform() === 'linux' ? output('stat', '--file-system', '--format=%T', dir) : 'unknown',
  };
}

const HEAD = ['row', 'work', 'contender', 'wall ms', 'cpu ms', 'wall x', 'cpu x', 'goal'];

/** A table in Markdown, one line a contender: median (minimum), and the ratios of medians (of minima) to the baseline. */
export function table(results: readonly RowResult[]): string {
  const lines = results.flatMap(({ row, contenders }) =>
    contenders.map((contender) => [
      String(row.number),
      row.title,
      contender.name,
      figures(contender.median, contender.minimum, 'wall', 1),
      figures(contender.median, contender.minimum, 'cpu', 1),
      ...(contender.isBaseline ? ['1', '1', ''] : ratios(contender, row)),
    ]),
  );
  return inColumns(HEAD, lines);
}

const SIZE_HEAD = ['row', 'work', 'contender', 'MiB', 'x', 'goal'];
const MEBIBYTE = 2 ** 20;

/** A table in Markdown of what was measured in bytes. */
export function sizeTable(results: readonly SizeResult[]): string {
  const lines = results.flatMap(({ row, sizes }) =>
    sizes.map(({ name, isBaseline, bytes, ratio }) => [
      String(row.number),
      row.title,
      name,
      (bytes / MEBIBYTE).toFixed(1),
      ratio.toFixed(2),
      isBaseline ? '' : sizeGoal(bytes, row.goal.atMostBytes),
    ]),
  );
  return inColumns(SIZE_HEAD, lines);
}

function sizeGoal(bytes: number, atMostBytes: number): string {
  return `<= ${(atMostBytes / MEBIBYTE).toFixed(1)} MiB: ${bytes <= atMostBytes ? 'reached' : 'MISSED'}`;
}

function inColumns(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((_head, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  );
  const format = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [format(head), rule, ...lines.map(format)].join('\n');
}

function ratios({ ratio, isPeer = false }: ContenderResult, { goal }: RowResult['row']): readonly string[] {
  const reached = ratio.medians[goal.metric] <= goal.atMost ? 'reached' : 'MISSED';
  return [
    figures(ratio.medians, ratio.minima, 'wall', 2),
    figures(ratio.medians, ratio.minima, 'cpu', 2),
    isPeer ? '' : `${goal.metric} <= ${goal.atMost}: ${reached}`,
  ];
}

const figures = (median: Usage, minimum: Usage, metric: 'wall' | 'cpu', digits: number): string =>
  `${median[metric].toFixed(digits)} (${minimum[metric].toFixed(digits)})`;
