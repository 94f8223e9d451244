import { describe, expect, it } from '@jest/globals';
import { compileWildmatch } from '@cleveragents/git-domain';

describe('a pattern of many stars', () => {
  it('takes no longer than a simple one', () => {
    const text = 'a'.repeat(2000);
    for (const slashesCount of [true, false]) {
      const matches = compileWildmatch('*a'.repeat(40) + 'b', { slashesCount, ignoreCase: false });
      expect(matches(text)).toBe(false);
    }
  });
});
