import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codecNamed, LineWindow } from '@cleveragents/file-tools-domain';

function chunked(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let offset = 0, index = 0; offset < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return chunks;
}

describe('a window of lines', () => {
  it('gives the lines asked for, however the bytes come', () => {
    const inputs = fc.record({
      lines: fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\r', '\u0a0a'), maxLength: 4 }), {
        maxLength: 8,
      }),
      isTerminated: fc.boolean(),
      offset: fc.nat(9),
      limit: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
      sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
      encoding: fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
    });
    fc.assert(
      fc.property(inputs, ({ lines, isTerminated, offset, limit, sizes, encoding }) => {
        const codec = codecNamed(encoding);
        const text = lines.join('\n') + (isTerminated && lines.length > 0 ? '\n' : '');
        const expected = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const window = new LineWindow({ offset, limit, lineFeed: codec.lineFeed, maxBytes: 1000 });
        for (const chunk of chunked(codec.encode(text) ?? new Uint8Array(0), sizes)) window.push(chunk);
        expect(codec.decode(window.bytes())).toBe(
          expected.slice(offset, limit === undefined ? undefined : offset + limit).join(''),
        );
        expect(window.lines).toBe(expected.length);
      }),
    );
  });

  it('refuses to hold more than it may', () => {
    const window = new LineWindow({ offset: 0, lineFeed: Uint8Array.of(10), maxBytes: 3 });
    expect(() => window.push(Uint8Array.of(1, 2, 3, 4))).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
  });
});
