import { describe, expect, it } from '@jest/globals';
import { strikeJournaledOperation } from '../journal-campaign.ts';
import { hammer } from '../lock-campaign.ts';

const MINUTES = 60_000;

describe('a lock between processes, for long', () => {
  it(
    'never has two holders while many of them are killed',
    async () => {
      const { count, whole, violations, left } = await hammer({ places: 16, rounds: 30, deaths: 20 });
      const expected = 16 * 30 + 16 * (19 * 10);
      expect({ count, whole, violations, left }).toEqual({
        count: expected,
        whole: expected,
        violations: '',
        left: [],
      });
    },
    20 * MINUTES,
  );
});

describe('an operation under a journal, at every point', () => {
  it(
    'can be undone wherever it was killed or failed',
    async () => {
      const { undone, runs } = await strikeJournaledOperation({});
      expect(undone).toBeGreaterThan(runs / 2);
    },
    10 * MINUTES,
  );
});
