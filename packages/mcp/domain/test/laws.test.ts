import { proveLaws } from './laws.ts';

// always the same values, so that a run of the suite means the same everywhere; the torture run tries ever new ones
proveLaws({ seed: 13, numRuns: 300 });
