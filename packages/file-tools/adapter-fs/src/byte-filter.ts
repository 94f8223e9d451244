/** Tells, mostly without decoding, whether a file can hold a text. */
export class ByteFilter {
  readonly needle: Buffer;
  /** The text also stands for bytes that are no text. */
  readonly isUndecidable: boolean;

  constructor(literal: string) {
    this.needle = Buffer.from(literal);
    this.isUndecidable = literal.includes('\ufffd');
  }

  /** Whether its bytes are elsewhere in the file than the text is. */
  mustDecode(bytes: Uint8Array): boolean {
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return isUtf16 || this.isUndecidable;
  }

  mayHold(bytes: Uint8Array): boolean {
    return this.mustDecode(bytes) || asBuffer(bytes).includes(this.needle);
  }
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
