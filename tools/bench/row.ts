import type { Meter } from './meter.ts';
import type { RepositoryName } from './repositories.ts';

/** One way to do the work of a row. What its functions share lies in the closure that made them. */
export interface Contender {
  readonly name: string;
  /** The user's alternative: what the others are divided by. Exactly one of a row. */
  readonly baseline?: true;
  /** For comparison alone: the row's goal is not its. */
  readonly peer?: true;
  /** Before each round, not measured. */
  readonly prepare?: () => void | Promise<void>;
  /** The work. What happens in this process is measured, and so is every command that runs through `meter`. */
  readonly run: (meter: Meter) => void | Promise<void>;
  /** After each round, not measured. Throws when the work was not done: a wrong answer is never fast. */
  readonly verify?: () => void | Promise<void>;
  /** After each round, not measured, also after a failure. Must leave the shared data as it was. */
  readonly cleanup?: () => void | Promise<void>;
}

export interface BenchRow {
  /** As in design and reports; several rows may share one number. */
  readonly number: number;
  readonly title: string;
  /** The ratio to the baseline, of medians, that we want; a report says whether it was reached, and nothing fails. */
  readonly goal: { readonly metric: Metric; readonly atMost: number };
  readonly contenders: readonly Contender[];
}

export type Metric = 'wall' | 'cpu';

/** Work that is measured in bytes, and once: what else the machine does changes nothing about them. */
export interface SizeRow {
  readonly number: number;
  readonly title: string;
  /** What every contender but the baseline should keep to. */
  readonly goal: { readonly atMostBytes: number };
  readonly sizes: readonly SizeContender[];
}

export interface SizeContender {
  readonly name: string;
  /** What the others are divided by. Exactly one of a row. */
  readonly baseline?: true;
  /** Does the work. Throws when it was not done. */
  readonly bytes: () => number | Promise<number>;
}

/** What the rows of one file stand on. */
export interface BenchContext {
  /** Root of the workspace. */
  readonly root: string;
  readonly large: boolean;
  /** A packed repository on branch `main` with a clean checkout, made at the first call, shared by all rows. */
  repository(name: RepositoryName): string;
  /** A new empty folder beside the data. All of them are removed at the end. */
  folder(prefix: string): string;
  /** Environment of git commands that nobody's configuration reaches. */
  readonly environment: Readonly<Record<string, string>>;
}

export type AnyRow = BenchRow | SizeRow;

/** A file of rows: its number, so that rows nobody asked for make no data, and how to make them. */
export interface RowFile {
  readonly number: number;
  readonly make: (context: BenchContext) => readonly AnyRow[] | Promise<readonly AnyRow[]>;
}
