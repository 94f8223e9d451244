import { describe, it } from '@jest/globals';
import { expectSamePlays } from '../support/parity-property.ts';

describe('the two engines', () => {
  it('say and leave the same in every step of many plans', async () => {
    await expectSamePlays({ numRuns: 80 });
  }, 3_600_000);
});
