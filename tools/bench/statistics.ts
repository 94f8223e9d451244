import type { Usage } from './meter.ts';

export interface Summary {
  readonly median: Usage;
  readonly minimum: Usage;
}

export function summarize(samples: readonly Usage[]): Summary {
  const walls = samples.map(({ wall }) => wall);
  const cpus = samples.map(({ cpu }) => cpu);
  return {
    median: { wall: median(walls), cpu: median(cpus) },
    minimum: { wall: Math.min(...walls), cpu: Math.min(...cpus) },
  };
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no values, no median');
  const ordered = [...values].sort((left, right) => left - right);
  const upper = ordered[Math.floor(ordered.length / 2)] ?? Number.NaN;
  const lower = ordered[Math.ceil(ordered.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}
