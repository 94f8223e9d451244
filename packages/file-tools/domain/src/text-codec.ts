import { FileToolError } from './file-tool.errors.ts';

/** One encoding. Strict: nothing is ever replaced by a question mark or a U+FFFD. */
export interface TextCodec {
  readonly name: string;
  /** `undefined` when the bytes are not valid. Keeps a byte order mark as U+FEFF. */
  decode(bytes: Uint8Array): string | undefined;
  /** `undefined` when the text has a character that the encoding lacks. Adds no byte order mark. */
  encode(text: string): Uint8Array | undefined;
  /** The bytes of a line feed. */
  readonly lineFeed: Uint8Array;
  /** Written before, and taken off, a whole text. */
  readonly mark?: Uint8Array | undefined;
  /** Whether the text is written form of arbitrary bytes, which has no lines. */
  readonly isBinary?: boolean | undefined;
  /** Whether NUL bytes are a matter of course. */
  readonly hasNulBytes?: boolean | undefined;
}

/** Finds further codecs by name, lower case; `undefined` for one it does not know. */
export type CodecSource = (name: string) => TextCodec | undefined;

const LINE_FEED = Uint8Array.of(0x0a);
const CODE_UNITS_PER_CALL = 8192;

const utf8: TextCodec = {
  name: 'utf-8',
  lineFeed: LINE_FEED,
  decode(bytes) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      // The only thing that a fatal decoder throws for.
      return undefined;
    }
  },
  encode: (text) => (text.isWellFormed() ? new TextEncoder().encode(text) : undefined),
};

const utf8WithMark: TextCodec = { ...utf8, name: 'utf-8-bom', mark: Uint8Array.of(0xef, 0xbb, 0xbf) };

/** ISO 8859-1 proper, where each byte is the character of its number; not windows-1252, which WHATWG calls latin1. */
const latin1: TextCodec = singleByte('latin-1', 0xff);
/** Seven bits; not Node's `ascii`, which drops the eighth. */
const ascii: TextCodec = singleByte('ascii', 0x7f);

const utf16le: TextCodec = twoByte('utf-16le', true);
const utf16be: TextCodec = twoByte('utf-16be', false);

const base64: TextCodec = {
  name: 'base64',
  lineFeed: LINE_FEED,
  isBinary: true,
  hasNulBytes: true,
  decode(bytes) {
    let text = '';
    // A multiple of three bytes becomes whole groups, which can be joined.
    for (let offset = 0; offset < bytes.length; offset += 3 * CODE_UNITS_PER_CALL)
      text += btoa(fromCodeUnits(bytes.subarray(offset, offset + 3 * CODE_UNITS_PER_CALL)));
    return text;
  },
  encode(text) {
    const digits = text.replace(/[\r\n]/g, '');
    if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) return undefined;
    return latin1.encode(atob(digits));
  },
};

const CODECS: ReadonlyMap<string, TextCodec> = new Map(
  [
    [utf8, 'utf8'],
    [utf8WithMark, 'utf-8-sig', 'utf8-bom'],
    [latin1, 'latin1', 'iso-8859-1', 'iso8859-1'],
    [ascii, 'us-ascii'],
    [utf16le, 'utf16le', 'utf-16-le', 'ucs-2'],
    [utf16be, 'utf16be', 'utf-16-be'],
    [base64],
  ].flatMap(([codec, ...aliases]) =>
    [(codec as TextCodec).name, ...(aliases as string[])].map((name) => [name, codec as TextCodec] as const),
  ),
);

/** @throws FileToolError `ENCODING_UNKNOWN` */
export function codecNamed(name: string, further?: CodecSource): TextCodec {
  const key = name.trim().toLowerCase().replaceAll('_', '-');
  const codec = CODECS.get(key) ?? further?.(key);
  if (codec !== undefined) return codec;
  throw new FileToolError('ENCODING_UNKNOWN', `The encoding ${JSON.stringify(name)} is not known`, {
    hint: 'Use utf-8, utf-8-bom, latin-1, ascii, utf-16le, utf-16be or base64.',
  });
}

/** @throws FileToolError `ENCODING_INVALID` */
export function decodeStrictly(bytes: Uint8Array, codec: TextCodec): string {
  const text = codec.decode(bytes);
  if (text !== undefined) return text;
  throw new FileToolError('ENCODING_INVALID', `The file's bytes are not valid ${codec.name}`, {
    hint: 'Name the encoding that the file is in, or use base64.',
  });
}

/** @throws FileToolError `ENCODING_INVALID` */
export function encodeStrictly(text: string, codec: TextCodec, what: string): Uint8Array {
  const bytes = codec.encode(text);
  if (bytes !== undefined) return bytes;
  throw new FileToolError('ENCODING_INVALID', `${what} cannot be written in ${codec.name}`, {
    hint: codec.isBinary === true ? 'Give base64 text.' : 'Use utf-8, or leave out the characters it lacks.',
  });
}

function singleByte(name: string, highest: number): TextCodec {
  return {
    name,
    lineFeed: LINE_FEED,
    decode: (bytes) => (bytes.every((byte) => byte <= highest) ? fromCodeUnits(bytes) : undefined),
    encode(text) {
      const bytes = new Uint8Array(text.length);
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        if (unit > highest) return undefined;
        bytes[index] = unit;
      }
      return bytes;
    },
  };
}

function twoByte(name: string, littleEndian: boolean): TextCodec {
  return {
    name,
    lineFeed: littleEndian ? Uint8Array.of(0x0a, 0) : Uint8Array.of(0, 0x0a),
    hasNulBytes: true,
    decode(bytes) {
      if (bytes.length % 2 !== 0) return undefined;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const units = new Uint16Array(bytes.length / 2);
      for (let index = 0; index < units.length; index++)
        units[index] = view.getUint16(index * 2, littleEndian);
      const text = fromCodeUnits(units);
      return text.isWellFormed() ? text : undefined;
    },
    encode(text) {
      if (!text.isWellFormed()) return undefined;
      const bytes = new Uint8Array(text.length * 2);
      const view = new DataView(bytes.buffer);
      for (let index = 0; index < text.length; index++)
        view.setUint16(index * 2, text.charCodeAt(index), littleEndian);
      return bytes;
    },
  };
}

function fromCodeUnits(units: Uint8Array | Uint16Array): string {
  let text = '';
  for (let offset = 0; offset < units.length; offset += CODE_UNITS_PER_CALL)
    text += String.fromCharCode(...units.subarray(offset, offset + CODE_UNITS_PER_CALL));
  return text;
}
