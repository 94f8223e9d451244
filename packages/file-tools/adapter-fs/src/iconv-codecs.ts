import type { TextCodec } from '@cleveragents/file-tools-domain';
import iconv from 'iconv-lite';

/** Encodings whose bytes depend on what came before, so that a part cannot be replaced by itself. */
const STATEFUL = /^(?:utf-?7|utf-?7-?imap|utf-?16|utf-?32|iso-?2022|hz)/;
/** Node's own transformations of bytes are no encodings of text. */
const NOT_TEXT = /^(?:hex|binary|internal|cesu-?8)/;

/**
 * The legacy code pages, `windows-1252`, `shift_jis`, `gbk` and their like, for `registerFileTools({ codecs })`.
 * Strict: bytes that do not come back as they were are not valid.
 */
export function iconvCodecs(name: string): TextCodec | undefined {
  if (
    !/^[a-z][a-z0-9-]*$/.test(name) ||
    STATEFUL.test(name) ||
    NOT_TEXT.test(name) ||
    !iconv.encodingExists(name)
  )
    return undefined;
  return {
    name,
    lineFeed: Uint8Array.of(0x0a),
    decode(bytes) {
      const text = iconv.decode(Buffer.from(bytes), name, { stripBOM: false });
      return Buffer.compare(iconv.encode(text, name), bytes) === 0 ? text : undefined;
    },
    encode(text) {
      const bytes = iconv.encode(text, name);
      return iconv.decode(bytes, name, { stripBOM: false }) === text ? bytes : undefined;
    },
  };
}
