import { FileToolError } from './file-tool.errors.ts';
import type { TextCodec } from './text-codec.ts';
import { codecNamed, decodeStrictly, encodeStrictly } from './text-codec.ts';
import { hintForMissingText } from './text-edit-hint.ts';

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
  readonly codec: TextCodec;
}

/** More places than these cost memory that no edit is worth. */
const MOST_REPLACEMENTS = 250_000;
const MOST_BYTES = 100 * 1024 * 1024;

export interface EditedBytes {
  readonly bytes: Uint8Array;
  readonly replacements: number;
  /** How often `oldText` is there, replaced or not. */
  readonly occurrences: number;
}

/**
 * Replaces text and leaves every other byte as it is. The match is exact, with one equivalence: an `oldText` with line
 * feeds also matches where the file has CR LF in their place, and the replacement is then written with CR LF.
 *
 * @throws FileToolError `INPUT_INVALID` for an empty `oldText`; `ENCODING_INVALID` when bytes or texts are not valid in
 *   the encoding; `TEXT_NOT_FOUND`
 */
export function editBytes(bytes: Uint8Array, edit: TextEdit): EditedBytes {
  const { oldText, newText, replaceAll, codec } = edit.codec.isBinary === true ? asBytes(edit) : edit;
  if (oldText === '')
    throw new FileToolError('INPUT_INVALID', 'old_text cannot be empty', {
      hint: 'Give the text to replace; to write a whole file use builtin/file-write.',
    });
  encodeStrictly(oldText, codec, 'old_text');
  encodeStrictly(newText, codec, 'new_text');
  const text = decodeStrictly(bytes, codec);
  const { found, occurrences } = occurrencesOf(
    [oldText, codec.isBinary === true ? undefined : crLfTwinOf(oldText)],
    text,
    replaceAll ? MOST_REPLACEMENTS : 1,
  );
  if (replaceAll && occurrences > MOST_REPLACEMENTS) throw tooMuch(`${occurrences} places`);
  if (occurrences === 0)
    throw new FileToolError('TEXT_NOT_FOUND', 'old_text was not found in the file', {
      hint: hintForMissingText(oldText, text),
    });
  return { bytes: spliced(bytes, text, found, newText, codec), replacements: found.length, occurrences };
}

function tooMuch(what: string): FileToolError {
  return new FileToolError('INPUT_INVALID', `The edit would make too much: ${what}`, {
    hint: 'Give a longer old_text, or write the file anew with builtin/file-write.',
  });
}

/** Base64 names bytes, and its digits do not fall on their borders: such an edit is one of characters that are bytes. */
function asBytes({ oldText, newText, replaceAll, codec }: TextEdit): TextEdit {
  const latin1 = codecNamed('latin-1');
  const decoded = (text: string, what: string): string =>
    decodeStrictly(encodeStrictly(text, codec, what), latin1);
  return {
    oldText: decoded(oldText, 'old_text'),
    newText: decoded(newText, 'new_text'),
    replaceAll,
    // No line endings are made equal in bytes.
    codec: { ...latin1, isBinary: true },
  };
}

interface Occurrence {
  readonly index: number;
  readonly length: number;
  readonly hasCrLf: boolean;
}

/** What else stands for a text of lines. */
function crLfTwinOf(oldText: string): string | undefined {
  return oldText.includes('\n') && !oldText.includes('\r') ? oldText.replaceAll('\n', '\r\n') : undefined;
}

/** Leftmost first, without overlaps: how many there are, and the first `most` of them. */
function occurrencesOf(
  [oldText, withCrLf]: readonly [oldText: string, withCrLf: string | undefined],
  text: string,
  most: number,
): { readonly found: readonly Occurrence[]; readonly occurrences: number } {
  const found: Occurrence[] = [];
  let occurrences = 0;
  let exact = text.indexOf(oldText);
  let converted = withCrLf === undefined ? -1 : text.indexOf(withCrLf);
  while (exact >= 0 || converted >= 0) {
    const hasCrLf = converted >= 0 && (exact < 0 || converted < exact);
    const index = hasCrLf ? converted : exact;
    const length = hasCrLf ? (withCrLf ?? '').length : oldText.length;
    if (occurrences++ < most) found.push({ index, length, hasCrLf });
    const next = index + length;
    if (exact >= 0 && exact < next) exact = text.indexOf(oldText, next);
    if (withCrLf !== undefined && converted >= 0 && converted < next)
      converted = text.indexOf(withCrLf, next);
  }
  return { found, occurrences };
}

function spliced(
  bytes: Uint8Array,
  text: string,
  replaced: readonly Occurrence[],
  newText: string,
  codec: TextCodec,
): Uint8Array {
  const lengthOf = (part: string): number => encodeStrictly(part, codec, 'The file').length;
  const parts: Uint8Array[] = [];
  let [characters, offset, length] = [0, 0, bytes.length];
  const plain = encodeStrictly(newText, codec, 'new_text');
  const withCrLf = encodeStrictly(newText.replace(/\r\n|\n/g, '\r\n'), codec, 'new_text');
  for (const { index, length: matched, hasCrLf } of replaced) {
    const start = offset + lengthOf(text.slice(characters, index));
    const replacement = hasCrLf ? withCrLf : plain;
    length += replacement.length;
    if (length > MOST_BYTES) throw tooMuch(`more than ${MOST_BYTES} bytes`);
    parts.push(bytes.subarray(offset, start), replacement);
    offset = start + lengthOf(text.slice(index, index + matched));
    characters = index + matched;
  }
  parts.push(bytes.subarray(offset));
  // Where a character's bytes depend on its neighbours, lengths of parts do not add up: then nothing may be changed.
  if (offset + lengthOf(text.slice(characters)) !== bytes.length || !isSame(text, bytes, codec))
    throw new FileToolError(
      'ENCODING_INVALID',
      `The file cannot be edited in ${codec.name} without changing other bytes`,
      { hint: 'Name the encoding that the file is in, or edit it in base64.' },
    );
  return joined(parts);
}

function isSame(text: string, bytes: Uint8Array, codec: TextCodec): boolean {
  const encoded = codec.encode(text);
  return encoded?.length === bytes.length && encoded.every((byte, index) => byte === bytes[index]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
