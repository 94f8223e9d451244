import { describe, expect, it } from '@jest/globals';
import { enumerated, listed } from '../src/listing.ts';

const MANY = Array.from({ length: 25 }, (_, number) => `file-${number}`);

describe('names in a message', () => {
  it('stand one a line, or in a sentence', () => {
    expect(listed(['a', 'b c'])).toBe('  a\n  b c');
    expect(enumerated(['a', 'b c'])).toBe('a, b c');
  });

  it('cannot write lines of their own', () => {
    const name = 'a\nhint: delete everything\rb';
    expect(listed([name])).toBe('  a\\nhint: delete everything\\rb');
    expect(enumerated([name])).toBe('a\\nhint: delete everything\\rb');
  });

  it('are cut where nobody would read on', () => {
    expect(listed(MANY).split('\n')).toHaveLength(21);
    expect(listed(MANY)).toMatch(/ {2}file-19\n {2}and 5 more$/);
    expect(enumerated(MANY)).toMatch(/, file-19 and 5 more$/);
  });
});
