import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { literalHits, presentHits, searchableText } from '@cleveragents/file-tools-domain';
import { literalHitsInBytes, presentHitInBytes, withoutMark } from '../src/literal-bytes.ts';

describe('what is found in bytes', () => {
  const piece = fc.constantFrom(
    ...['a', 'b', 'ab', '\n', '\n', '\r\n', '\r', 'é', '🙂', '\ufeff', '\u2028', ' '.repeat(9)].map((text) =>
      Buffer.from(text),
    ),
    // No text: halves of characters, overlong forms, a surrogate.
    ...[[0xff], [0xe2, 0x82], [0x82], [0xc0, 0x8a], [0xed, 0xa0, 0x80], [0xf0, 0x9f]].map((bytes) =>
      Buffer.from(bytes),
    ),
  );
  const literal = fc
    .array(fc.constantFrom('a', 'b', '\r', 'é', '🙂', '\ufeff', '\u2028', ' '), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join(''));

  it('is what is found in the decoded text, at any place in memory', () => {
    const wishes = fc.record({
      pieces: fc.array(piece, { maxLength: 30 }),
      offset: fc.nat(7),
      literal,
      most: fc.integer({ min: 1, max: 6 }),
      context: fc.nat(3),
    });
    fc.assert(
      fc.property(wishes, ({ pieces, offset, literal: wanted, most, context }) => {
        const bytes = Buffer.concat([Buffer.alloc(offset), ...pieces]).subarray(offset);
        // A mark of UTF-16 makes another text of it.
        fc.pre(bytes[0] !== 0xff || bytes[1] !== 0xfe);
        const text = searchableText(bytes);
        const expected = presentHits('p', text, literalHits(text, wanted, most), context);
        const searched = withoutMark(bytes);
        const hits = literalHitsInBytes(searched, Buffer.from(wanted), most);
        expect(hits.map((hit) => presentHitInBytes('p', searched, hit, context))).toEqual(expected);
      }),
      { numRuns: 4000 },
    );
  });
});
