import { describe, it } from '@jest/globals';
import { expectSamePlays } from './support/parity-property.ts';

describe('the two engines', () => {
  it('say and leave the same in every step of a plan', async () => {
    await expectSamePlays({ numRuns: 6, seed: 20_26 });
  }, 600_000);
});
