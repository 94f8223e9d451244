import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyDelta } from '@cleveragents/git-domain';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const base = bytes('0123456789');

describe('a delta', () => {
  it('copies pieces of its base and brings bytes of its own', () => {
    const delta = [10, 6, 0x80 | 0x01 | 0x10, 8, 2, 2, 0x41, 0x42, 0x80 | 0x10, 2];
    expect(applyDelta(base, Uint8Array.from(delta))).toEqual(bytes('89AB01'));
  });

  it('copies 64 KiB where it names no length', () => {
    const large = new Uint8Array(0x10000).fill(7);
    expect(applyDelta(large, Uint8Array.from([0x80, 0x80, 4, 0x80, 0x80, 4, 0x80]))).toEqual(large);
  });

  it.each([
    ['was made for another base', [9, 1, 1, 0x41]],
    ['copies what its base does not have', [10, 3, 0x80 | 0x01 | 0x10, 8, 3]],
    ['makes more than it says', [10, 1, 2, 0x41, 0x42]],
    ['makes less than it says', [10, 3, 1, 0x41]],
    ['ends inside what it brings', [10, 3, 3, 0x41]],
    ['ends inside a size', [0x8a]],
    ['holds the command that git keeps for later', [10, 1, 0, 0x41]],
  ])('that %s is refused', (_why, delta) => {
    expect(() => applyDelta(base, Uint8Array.from(delta))).toThrow(RangeError);
  });

  it('never overruns, whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (content) => {
        try {
          expect(applyDelta(new Uint8Array(20), Uint8Array.from([20, 30, ...content]))).toHaveLength(30);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 200 },
    );
  });
});
