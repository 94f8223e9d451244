import { FileToolError } from './file-tool.errors.ts';

export interface LineWindowOptions {
  /** How many lines come before the window. */
  readonly offset: number;
  /** How many lines it holds; all that follow by default. */
  readonly limit?: number | undefined;
  readonly lineFeed: Uint8Array;
  readonly maxBytes: number;
}

/** Takes some lines, with their endings, out of bytes that come in chunks, and keeps nothing else. */
export class LineWindow {
  readonly #first: number;
  readonly #end: number;
  readonly #lineFeed: Uint8Array;
  readonly #maxBytes: number;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** Of complete lines. */
  #lines = 0;
  #isInsideLine = false;
  #rest = new Uint8Array(0);

  constructor({ offset, limit, lineFeed, maxBytes }: LineWindowOptions) {
    this.#first = offset;
    this.#end = limit === undefined ? Infinity : offset + limit;
    this.#lineFeed = lineFeed;
    this.#maxBytes = maxBytes;
  }

  /** Whether everything that follows lies behind the window. */
  get isComplete(): boolean {
    return this.#lines >= this.#end;
  }

  /** Of everything seen so far, a last line without an ending included. */
  get lines(): number {
    return this.#lines + (this.#isInsideLine || this.#rest.length > 0 ? 1 : 0);
  }

  /** @throws FileToolError `INPUT_INVALID` when the window holds more than `maxBytes` */
  push(chunk: Uint8Array): void {
    const bytes = this.#alignedWith(chunk);
    for (let start = 0; start < bytes.length;) {
      const end = this.#endOfLine(bytes, start);
      this.#keep(bytes, start, end ?? bytes.length);
      this.#isInsideLine = end === undefined;
      if (end === undefined) return;
      this.#lines++;
      start = end;
    }
  }

  bytes(): Uint8Array {
    if (this.#rest.length > 0) this.#keep(this.#rest, 0, this.#rest.length);
    this.#rest = new Uint8Array(0);
    const whole = new Uint8Array(this.#keptBytes);
    let offset = 0;
    for (const part of this.#kept) {
      whole.set(part, offset);
      offset += part.length;
    }
    return whole;
  }

  /** Whole characters of the line feed's width: half of one waits for the next chunk. */
  #alignedWith(chunk: Uint8Array): Uint8Array {
    if (this.#lineFeed.length === 1) return chunk;
    const bytes = new Uint8Array(this.#rest.length + chunk.length);
    bytes.set(this.#rest);
    bytes.set(chunk, this.#rest.length);
    const aligned = bytes.length - (bytes.length % this.#lineFeed.length);
    this.#rest = bytes.slice(aligned);
    return bytes.subarray(0, aligned);
  }

  #endOfLine(bytes: Uint8Array, start: number): number | undefined {
    const width = this.#lineFeed.length;
    if (width === 1) {
      const index = bytes.indexOf(0x0a, start);
      return index < 0 ? undefined : index + 1;
    }
    for (let index = start; index < bytes.length; index += width)
      if (this.#lineFeed.every((byte, position) => bytes[index + position] === byte)) return index + width;
    return undefined;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (this.#lines < this.#first || this.#lines >= this.#end) return;
    this.#keptBytes += end - start;
    if (this.#keptBytes > this.#maxBytes)
      throw new FileToolError('INPUT_INVALID', `The lines asked for hold more than ${this.#maxBytes} bytes`, {
        hint: 'Ask for fewer lines.',
      });
    this.#kept.push(bytes.slice(start, end));
  }
}
