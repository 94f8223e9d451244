import fc from 'fast-check';

const ORDINARY = ['a', 'b', 'c', 'd', 'e', '', '}', '  x', '\ty', 'long line with words'];
const line = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...ORDINARY) },
  fc.constantFrom('\u00e9', 'a\r', '\u0001', '<<<<<<<'),
);

/** Text of few different lines, so that equal ones abound; sometimes without a last line feed, sometimes CR LF. */
export const texts: fc.Arbitrary<string> = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\n', '\n', '\r\n'), fc.boolean())
  .map(([lines, end, closed]) => lines.join(end) + (closed && lines.length > 0 ? end : ''));

/** An edit of a text: some of its lines taken out, some put in. */
function edited(text: string): fc.Arbitrary<string> {
  const lines = text.split('\n');
  const edit = fc.record({
    at: fc.nat(lines.length),
    remove: fc.nat(3),
    insert: fc.array(line, { maxLength: 3 }),
  });
  return fc.array(edit, { maxLength: 3 }).map((edits) => {
    const result = [...lines];
    for (const { at, remove, insert } of edits) result.splice(Math.min(at, result.length), remove, ...insert);
    return result.join('\n');
  });
}

/** A text and an edit of it. */
export const textPairs: fc.Arbitrary<readonly [string, string]> = texts.chain((text) =>
  fc.tuple(fc.constant(text), fc.oneof({ weight: 5, arbitrary: edited(text) }, texts)),
);

/** A text and two edits of it. */
export const textTriples: fc.Arbitrary<readonly [string, string, string]> = texts.chain((text) =>
  fc.tuple(fc.constant(text), edited(text), fc.oneof({ weight: 5, arbitrary: edited(text) }, texts)),
);

/** A long text of `size` lines, of which `distinct` are different, by a fixed rule. */
export function longText(seed: number, size: number, distinct: number): string {
  let state = seed;
  const lines = Array.from({ length: size }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return `line ${(state >>> 8) % distinct}\n`;
  });
  return lines.join('');
}
