import { decodeUtf8, encodeUtf8 } from './bytes.ts';

const LETTERS: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};
const LETTER_OF = new Map(Object.entries(LETTERS).map(([letter, byte]) => [byte, letter]));

/** A path as git prints it: in double quotes with C's escapes when a byte of it is not printable ASCII, else as it is. */
export function quotePath(path: string): string {
  return needsQuotes(path) ? `"${escapePath(path)}"` : path;
}

/** As `quotePath`, of a prefix and a path together: `"a/odd\tname"`. */
export function quotePrefixed(prefix: string, path: string): string {
  return needsQuotes(path) ? `"${prefix}${escapePath(path)}"` : prefix + path;
}

function needsQuotes(path: string): boolean {
  return /[^ -~]|["\\]/.test(path);
}

function escapePath(path: string): string {
  let text = '';
  for (const byte of encodeUtf8(path)) {
    const letter = LETTER_OF.get(byte);
    if (letter !== undefined) text += `\\${letter}`;
    else if (byte < 0x20 || byte >= 0x7f) text += `\\${byte.toString(8).padStart(3, '0')}`;
    else text += String.fromCharCode(byte);
  }
  return text;
}

/**
 * Reads a name in double quotes at the beginning of `text`.
 *
 * @returns the name and what stands behind it; `null` when the quotes are not as git would write them.
 */
export function unquoteName(text: string): { readonly name: string; readonly rest: string } | null {
  const match = /^"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"/su.exec(text);
  if (match === null) return null;
  const [quoted, inner = ''] = match;
  const bytes: number[] = [];
  for (const [piece] of inner.matchAll(/\\[0-3][0-7]{2}|\\.|[^\\]+/gsu)) {
    if (!piece.startsWith('\\')) bytes.push(...encodeUtf8(piece));
    else bytes.push(LETTERS[piece.slice(1)] ?? Number.parseInt(piece.slice(1), 8));
  }
  try {
    return { name: decodeUtf8(Uint8Array.from(bytes)), rest: text.slice(quoted.length) };
  } catch {
    return null; // a name that is no UTF-8 can match no path of ours
  }
}
