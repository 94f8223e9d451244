import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codecNamed } from '@cleveragents/file-tools-domain';

const NAMES = ['utf-8', 'latin-1', 'ascii', 'utf-16le', 'utf-16be', 'base64'];

describe('encodings', () => {
  it.each([
    ['utf-8', 'é€', [0xc3, 0xa9, 0xe2, 0x82, 0xac]],
    ['latin-1', 'é\u0080', [0xe9, 0x80]],
    ['ascii', 'az', [0x61, 0x7a]],
    ['utf-16le', 'é', [0xe9, 0]],
    ['utf-16be', 'é', [0, 0xe9]],
    ['base64', 'AP8=', [0, 255]],
  ])('%s writes %j as %j, and reads it back', (name, text, bytes) => {
    const codec = codecNamed(name);
    expect([...(codec.encode(text) ?? [])]).toEqual(bytes);
    expect(codec.decode(Uint8Array.from(bytes))).toBe(text);
  });

  it.each([
    ['ascii', [0x80]],
    ['utf-8', [0xff]],
    ['utf-8', [0xed, 0xa0, 0x80]],
    ['utf-8', [0xc0, 0x80]],
    ['utf-16le', [0x61]],
    ['utf-16le', [0, 0xd8]],
    ['utf-16be', [0xd8, 0]],
  ])('%s does not take %j for text', (name, bytes) => {
    expect(codecNamed(name).decode(Uint8Array.from(bytes))).toBeUndefined();
  });

  it.each([
    ['latin-1', '€'],
    ['ascii', 'é'],
    ['utf-8', '\ud800'],
    ['utf-16le', '\udc00'],
    ['base64', 'abc'],
    ['base64', '===='],
  ])('%s does not write %j', (name, text) => {
    expect(codecNamed(name).encode(text)).toBeUndefined();
  });

  it.each(['UTF-8', 'utf8', 'Latin1', 'latin_1', 'ISO-8859-1', 'utf16le'])(
    'knows %s by that name',
    (name) => {
      expect(codecNamed(name)).toBeDefined();
    },
  );

  it.each(['constructor', '__proto__', '../', '', 'toString', 'hex', 'utf-7'])('does not know %j', (name) => {
    expect(() => codecNamed(name)).toThrow(expect.objectContaining({ code: 'ENCODING_UNKNOWN' }));
  });

  it('asks for further encodings by their plain name', () => {
    const asked: string[] = [];
    expect(() => codecNamed('Shift_JIS', (name) => void asked.push(name))).toThrow('not known');
    expect(asked).toEqual(['shift-jis']);
  });

  it('gives back every byte that it takes for text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(...NAMES), (bytes, name) => {
        const codec = codecNamed(name);
        const text = codec.decode(bytes);
        if (text !== undefined) expect([...(codec.encode(text) ?? [])]).toEqual([...bytes]);
      }),
    );
  });
});
