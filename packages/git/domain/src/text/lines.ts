import { decodeLatin1 } from '../bytes.ts';

/** How far git looks for a NUL before it takes a file for text. */
const BINARY_SAMPLE_BYTES = 8000;
const LINE_FEED = '\n';

/** Whether git takes the bytes for binary: a NUL among the first 8000. */
export function isBinary(bytes: Uint8Array): boolean {
  const nul = bytes.indexOf(0);
  return nul >= 0 && nul < BINARY_SAMPLE_BYTES;
}

/** The lines with their line feeds, one character per byte; only the last may lack its line feed. */
export function splitLines(bytes: Uint8Array): readonly string[] {
  const text = decodeLatin1(bytes);
  const lines: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(LINE_FEED, start);
    const next = end < 0 ? text.length : end + 1;
    lines.push(text.slice(start, next));
    start = next;
  }
  return lines;
}

/** The bytes of lines as `splitLines` gives them. */
export function joinLines(lines: readonly string[]): Uint8Array {
  const text = lines.join('');
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Gives equal lines equal numbers, over all files that it is asked about. */
export class LineNumbering {
  readonly #numbers = new Map<string, number>();

  numbersOf(lines: readonly string[]): Int32Array {
    const numbers = new Int32Array(lines.length);
    lines.forEach((line, at) => {
      let number = this.#numbers.get(line);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(line, number);
      }
      numbers[at] = number;
    });
    return numbers;
  }
}
