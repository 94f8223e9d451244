import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codecNamed, editBytes, type TextCodec, type TextEdit } from '@cleveragents/file-tools-domain';

const UTF8 = codecNamed('utf-8');
const bytesOf = (text: string, codec: TextCodec = UTF8): Uint8Array =>
  codec.encode(text) ?? new Uint8Array(0);

function edited(text: string, oldText: string, newText: string, replaceAll = false): string {
  return UTF8.decode(editBytes(bytesOf(text), { oldText, newText, replaceAll, codec: UTF8 }).bytes) ?? '';
}

function refusal(work: () => unknown): { readonly code: string; readonly hint: string } {
  try {
    work();
  } catch (error) {
    return error as { code: string; hint: string };
  }
  throw new Error('It was not refused');
}

describe('an edit', () => {
  it.each([
    ['a-b-a', 'a', 'x', false, 'x-b-a'],
    ['a-b-a', 'a', 'x', true, 'x-b-x'],
    ['aaaa', 'aa', 'b', true, 'bb'],
    ['price', 'price', '$& $` $1 $$', true, '$& $` $1 $$'],
    ['one\r\ntwo\r\n', 'one\ntwo\n', '1\n2\n', false, '1\r\n2\r\n'],
    ['one\r\ntwo\r\n', 'one\ntwo\n', '1\r\n2\r\n', false, '1\r\n2\r\n'],
    ['one\r\ntwo', 'one\r\ntwo', '1\n2', false, '1\n2'],
    ['a\r\nb\na\nb\n', 'a\nb', 'x\ny', true, 'x\r\ny\nx\ny\n'],
    ['a\r\n\r\nb', '\n', '', true, 'ab'],
    ['a\rb', 'a\rb', 'c', false, 'c'],
    ['one\r\n', 'one', '1\n2', false, '1\n2\r\n'],
    ['\ufeffone', 'one', '1', false, '\ufeff1'],
    ['héllo 🙂', '🙂', '🙃', false, 'héllo 🙃'],
  ])('of %j, %j to %j (all: %j), gives %j', (text, oldText, newText, replaceAll, expected) => {
    expect(edited(text, oldText, newText, replaceAll)).toBe(expected);
  });

  it.each([
    ['foo', ''],
    ['a\nb', 'a\r\nb'],
    ['a\r\nb\nc', 'a\nb\nc'],
    ['foo', 'fo\ud800'],
    ['foo', 'Foo'],
    ['', 'x'],
  ])('of %j refuses %j', (text, oldText) => {
    const { code } = refusal(() => edited(text, oldText, 'x'));
    expect(['TEXT_NOT_FOUND', 'INPUT_INVALID', 'ENCODING_INVALID']).toContain(code);
  });

  it.each([
    ['a\r\nb', 'a\nb\nc', 'nearest line is 1: "a"'],
    ['a\nb', 'a\r\nb', 'line endings'],
    ['first\n\tindented( x )\n', 'indented(x)', 'white space'],
    ['first line\nsecond line\n', 'second lime', 'nearest line is 2: "second line"'],
  ])('of %j for %j hints at %j', (text, oldText, words) => {
    expect(refusal(() => edited(text, oldText, 'x')).hint).toContain(words);
  });

  it('edits bytes given as base64, wherever they lie', () => {
    const base64 = codecNamed('base64');
    const edit = { oldText: btoa('\x01\xff'), newText: btoa('\x02'), replaceAll: true, codec: base64 };
    const { bytes, occurrences } = editBytes(Uint8Array.of(0, 1, 255, 7, 1, 255), edit);
    expect([[...bytes], occurrences]).toEqual([[0, 2, 7, 2], 2]);
    // In bytes no line ending is equal to another.
    const lines = { ...edit, oldText: btoa('a\nb') };
    expect(refusal(() => editBytes(bytesOf('a\r\nb'), lines)).code).toBe('TEXT_NOT_FOUND');
    expect(refusal(() => editBytes(bytes, { ...edit, oldText: 'no base64!' })).code).toBe('ENCODING_INVALID');
  });

  it.each(['utf-16le', 'utf-16be'])('matches whole characters of %s, not halves of two', (name) => {
    const codec = codecNamed(name);
    const text = '\u4161\u6141'; // Its bytes hold those of "aa" across the border.
    const edit = { oldText: '\u6161', newText: 'x', replaceAll: false, codec };
    expect(refusal(() => editBytes(bytesOf(text, codec), edit)).code).toBe('TEXT_NOT_FOUND');
  });

  it('of more places, or to more bytes, than memory should hold is refused; one of them can be edited', () => {
    const text = 'a'.repeat(2_000_000);
    const { code, hint } = refusal(() => edited(text, 'a', 'b', true));
    expect([code, hint]).toEqual(['INPUT_INVALID', expect.stringContaining('longer old_text')]);
    expect(refusal(() => edited(text.slice(0, 1000), 'a', 'b'.repeat(1_000_000), true)).code).toBe(
      'INPUT_INVALID',
    );
    const one = editBytes(bytesOf(text), { oldText: 'a', newText: 'b', replaceAll: false, codec: UTF8 });
    expect([one.replacements, one.occurrences]).toEqual([1, 2_000_000]);
  });

  it('takes a bounded time to explain what it did not find in 100,000 lines', () => {
    const text = Array.from({ length: 100_000 }, (_, line) => `line ${line} of many, all of them alike`).join(
      '\n',
    );
    expect(refusal(() => edited(text, 'line x of many, all of them alike but one', 'y')).hint).toContain(
      'nearest',
    );
  });
});

describe('the law of edits: every byte outside the match stays', () => {
  const ENCODINGS = ['utf-8', 'utf-8-bom', 'latin-1', 'ascii', 'utf-16le', 'utf-16be', 'base64'] as const;
  const unit = fc.constantFrom(
    'a',
    'b',
    '\n',
    '\r',
    '\r\n',
    '\r\n',
    '\ufeff',
    'é',
    '€',
    '🙂',
    '\0',
    '$&',
    'ab',
  );
  const text = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));
  const someText = fc.array(unit, { minLength: 1, maxLength: 4 }).map((units) => units.join(''));

  it('holds for random bytes in every encoding: edited right, or refused', () => {
    const edits = fc.record({
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        text.map((some) => bytesOf(some)),
      ),
      encoding: fc.constantFrom(...ENCODINGS),
      oldText: someText,
      newText: text,
      replaceAll: fc.boolean(),
    });
    fc.assert(
      fc.property(edits, ({ bytes, encoding, ...edit }) => {
        const codec = codecNamed(encoding);
        const before = bytes.slice();
        try {
          const { bytes: after } = editBytes(bytes, { ...edit, codec });
          expect([...after]).toEqual([...expectedBytes(bytes, edit, codec)]);
        } catch (error) {
          const isPossible = codec.decode(bytes) !== undefined && codec.encode(edit.oldText) !== undefined;
          expect(['TEXT_NOT_FOUND', 'ENCODING_INVALID', 'INPUT_INVALID']).toContain(codeOf(error));
          if (isPossible && codec.encode(edit.newText) !== undefined && !codec.isBinary)
            expect(codeOf(error)).toBe('TEXT_NOT_FOUND');
        }
        expect(bytes).toEqual(before);
      }),
      { numRuns: 1500 },
    );
  });

  it('holds where the text is known to be there: the same as taking the text apart and joining it anew', () => {
    const edits = fc.record({
      start: text,
      oldText: someText.filter((some) => !some.includes('\r') && some !== '\n'),
      end: text,
      newText: text,
      encoding: fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'),
      ending: fc.constantFrom('\n', '\r\n'),
    });
    fc.assert(
      fc.property(edits, ({ start, oldText, end, newText, encoding, ending }) => {
        const written = oldText.replaceAll('\n', ending);
        const file = start + written + end;
        // Only where it is unambiguous what is replaced.
        fc.pre(!start.endsWith('\r') && file.indexOf(written) === start.length);
        fc.pre(file.replaceAll('\r\n', '\n').indexOf(oldText) === start.replaceAll('\r\n', '\n').length);
        const codec = codecNamed(encoding);
        const { bytes } = editBytes(bytesOf(file, codec), { oldText, newText, replaceAll: false, codec });
        const isCrLf = oldText.includes('\n') && ending === '\r\n';
        const replacement = isCrLf ? newText.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') : newText;
        expect(codec.decode(bytes)).toBe(start + replacement + end);
      }),
      { numRuns: 1500 },
    );
  });
});

/** The same by other means: taken apart by an expression, and every part outside the matches copied as it is. */
function expectedBytes(
  bytes: Uint8Array,
  { oldText, newText, replaceAll }: Pick<TextEdit, 'oldText' | 'newText' | 'replaceAll'>,
  codec: TextCodec,
): Uint8Array {
  if (codec.isBinary === true) {
    const [from, to] = [oldText, newText].map((text) => atob(text.replace(/[\r\n]/g, '')));
    const latin1 = codecNamed('latin-1');
    const replaced = latin1
      .decode(bytes)
      ?.[replaceAll ? 'replaceAll' : 'replace'](from ?? '', () => to ?? '');
    return bytesOf(replaced ?? '', latin1);
  }
  const literal = (text: string): string => text.replace(/[$\\]/g, '\\$&');
  const crLf = oldText.includes('\r') ? oldText : oldText.replaceAll('\n', '\r\n');
  const expression = new RegExp(`${literal(crLf)}|${literal(oldText)}`, replaceAll ? 'gu' : 'u');
  const replaced = codec
    .decode(bytes)
    ?.replace(expression, (match) =>
      match === oldText ? newText : newText.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'),
    );
  return bytesOf(replaced ?? '', codec);
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
