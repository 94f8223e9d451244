import { Meter, type Usage } from './meter.ts';
import { shuffled } from './random.ts';
import type { BenchRow, Contender, SizeRow } from './row.ts';
import { summarize, type Summary } from './statistics.ts';

export interface ContenderResult extends Summary {
  readonly name: string;
  readonly isBaseline: boolean;
  readonly isPeer?: boolean;
  readonly samples: readonly Usage[];
  /** Divided by the baseline: medians, and minima. */
  readonly ratio: { readonly medians: Usage; readonly minima: Usage };
}

export interface RowResult {
  readonly row: Pick<BenchRow, 'number' | 'title' | 'goal'>;
  readonly contenders: readonly ContenderResult[];
}

/**
 * Every contender once in each round, in an order that changes, so that what else the machine does meets all of them alike;
 * before that one round for warm caches which nobody measures.
 *
 * @throws whatever a contender throws: the program is wrong, not slow.
 */
export async function runRow(row: BenchRow, rounds: number, random: () => number): Promise<RowResult> {
  const [baseline, ...others] = row.contenders.filter((contender) => contender.baseline);
  if (baseline === undefined || others.length > 0) throw new Error(`row ${row.number} needs one baseline`);
  const samples = new Map<Contender, Usage[]>(row.contenders.map((contender) => [contender, []]));
  for (const contender of row.contenders) await runOnce(contender);
  for (let round = 0; round < rounds; round++)
    for (const contender of shuffled(row.contenders, random))
      samples.get(contender)?.push(await runOnce(contender));

  const base = summarize(samples.get(baseline) ?? []);
  const contenders = [...samples].map(([contender, usages]) => ({
    name: contender.name,
    isBaseline: contender === baseline,
    ...(contender.peer && { isPeer: true }),
    samples: usages,
    ...ratioTo(base, summarize(usages)),
  }));
  const { number, title, goal } = row;
  return { row: { number, title, goal }, contenders };
}

export interface SizeResult {
  readonly row: Pick<SizeRow, 'number' | 'title' | 'goal'>;
  readonly sizes: readonly SizeOutcome[];
}

export interface SizeOutcome {
  readonly name: string;
  readonly isBaseline: boolean;
  readonly bytes: number;
  /** Divided by the baseline. */
  readonly ratio: number;
}

/** @throws whatever a contender throws. */
export async function runSizeRow({ sizes, number, title, goal }: SizeRow): Promise<SizeResult> {
  const baselines = sizes.filter((contender) => contender.baseline);
  if (baselines.length !== 1) throw new Error(`row ${number} needs one baseline`);
  const measured: { readonly name: string; readonly isBaseline: boolean; readonly bytes: number }[] = [];
  for (const contender of sizes)
    measured.push({
      name: contender.name,
      isBaseline: contender.baseline === true,
      bytes: await contender.bytes(),
    });
  const base = measured.find(({ isBaseline }) => isBaseline)?.bytes ?? Number.NaN;
  return {
    row: { number, title, goal },
    sizes: measured.map((one) => ({ ...one, ratio: one.bytes / base })),
  };
}

async function runOnce({ prepare, run, verify, cleanup }: Contender): Promise<Usage> {
  try {
    await prepare?.();
    const usage = await new Meter().measure(run);
    await verify?.();
    return usage;
  } finally {
    await cleanup?.();
  }
}

function ratioTo(base: Summary, own: Summary): Summary & Pick<ContenderResult, 'ratio'> {
  const divide = (left: Usage, right: Usage): Usage => ({
    wall: left.wall / right.wall,
    cpu: left.cpu / right.cpu,
  });
  return {
    ...own,
    ratio: { medians: divide(own.median, base.median), minima: divide(own.minimum, base.minimum) },
  };
}
