import { describe, expect, it } from '@jest/globals';
import { compileWildmatch, matchesPathPattern } from '@cleveragents/git-domain';

describe('a pattern of many stars', () => {
  it('takes no longer than a simple one', () => {
    const text = 'a'.repeat(2000);
    for (const slashesCount of [true, false]) {
      const matches = compileWildmatch('*a'.repeat(40) + 'b', { slashesCount, ignoreCase: false });
      expect(matches(text)).toBe(false);
    }
  });
});

describe('two stars before a slash that is escaped', () => {
  it.each([
    ['b/a', true],
    ['ba/b/a', true],
    // only a slash that is not escaped may stand for no folder at all
    ['a', false],
  ])('of %j', (path, matches) => {
    expect(matchesPathPattern('**\\/a', path)).toBe(matches);
  });
});
