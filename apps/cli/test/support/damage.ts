import { expect } from '@jest/globals';
import type { BenchOptions, DoctorBench } from './doctor-bench.ts';

/** When work was saved that was kept for long enough. */
export const OLD = '20260101T000000000Z';

/** One way in which a project gets damaged, and what must be so once the doctor was there. */
export interface Damage {
  readonly name: string;
  /** Kinds that are found, all of them. */
  readonly kinds: readonly string[];
  readonly make: (bench: DoctorBench) => Promise<void>;
  readonly afterwards?: (bench: DoctorBench) => Promise<void>;
  readonly options?: BenchOptions;
}

export async function expectWork(bench: DoctorBench): Promise<void> {
  expect(await bench.changedPaths()).toEqual(['work.txt']);
}

/** The work of plan `x` is on a rescue ref, and `plan restore` brings it back. */
export async function expectRescued(bench: DoctorBench): Promise<void> {
  const { plans } = await bench.open();
  expect(await plans.listRescued('x')).toHaveLength(1);
  await plans.restore('x');
  await expectWork(bench);
}
