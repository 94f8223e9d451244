import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  literalHits,
  looksBinary,
  parseExpression,
  parseLiteral,
  presentHits,
  searchableText,
} from '@cleveragents/file-tools-domain';

describe('the lines that hold a literal', () => {
  it('are those that a plain loop over the lines finds', () => {
    const unit = fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '🙂');
    const text = fc.string({ unit, maxLength: 30 });
    const literal = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '🙂'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(text, literal, fc.integer({ min: 1, max: 5 }), (some, wanted, most) => {
        const expected = some
          .split('\n')
          .map((line, index) => ({ line: index + 1, text: line.replace(/\r$/, '') }))
          .flatMap(({ line, text: content }) => {
            const index = content.indexOf(wanted);
            return index < 0 ? [] : [{ line, column: index + 1, text: content }];
          })
          .slice(0, most);
        const shown = presentHits('p', some, literalHits(some, wanted, most), 0);
        expect(shown).toEqual(expected.map((match) => ({ path: 'p', ...match })));
      }),
      { numRuns: 2000 },
    );
  });

  it('are shown with the lines around them', () => {
    const text = 'one\r\ntwo\nthree\nfour\n';
    expect(presentHits('p', text, literalHits(text, 'two', 9), 2)).toEqual([
      { path: 'p', line: 2, column: 1, text: 'two', before: ['one'], after: ['three', 'four'] },
    ]);
  });

  it('are cut around the match when they are very long', () => {
    const text = `${'x'.repeat(50_000)}needle${'y'.repeat(50_000)}`;
    const [match] = presentHits('p', text, literalHits(text, 'needle', 9), 0);
    expect([match?.column, match?.text.length, match?.text.includes('needle')]).toEqual([50_001, 1000, true]);
  });
});

describe('what is searched', () => {
  it('is text by its mark, and anything with a NUL near its beginning is not', () => {
    expect(searchableText(Uint8Array.of(0xff, 0xfe, 0x61, 0))).toBe('a');
    expect(searchableText(Uint8Array.of(0xfe, 0xff, 0, 0x61))).toBe('a');
    expect(searchableText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('a');
    expect(searchableText(Uint8Array.of(0x61, 0xff))).toBe('a\ufffd');
    expect([Uint8Array.of(0x61, 0), Uint8Array.of(0xff, 0xfe, 0x61, 0)].map(looksBinary)).toEqual([
      true,
      false,
    ]);
  });

  it('is an expression with the meaning that it most likely has', () => {
    expect(parseExpression('\\p{L}')).toEqual({ source: '\\p{L}', flags: 'u' });
    expect(parseExpression('[\\w-.]')).toEqual({ source: '[\\w-.]', flags: '' });
    expect(() => parseExpression('(')).toThrow(expect.objectContaining({ code: 'PATTERN_INVALID' }));
  });

  it.each(['', 'a\nb', '\ud800'])('is never the literal %j, which no line holds', (literal) => {
    expect(() => parseLiteral(literal)).toThrow(expect.objectContaining({ code: 'PATTERN_INVALID' }));
  });
});
