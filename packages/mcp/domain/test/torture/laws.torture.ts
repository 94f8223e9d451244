import { proveLaws } from '../laws.ts';

proveLaws({ numRuns: 10_000 });
