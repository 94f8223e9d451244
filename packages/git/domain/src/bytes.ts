const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const encoder = new TextEncoder();
// ignoreBOM: otherwise a leading U+FEFF of a file's name would get lost
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** @throws TypeError for bytes that are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** One character per byte: no byte is lost, whatever the encoding. */
export function decodeLatin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = '';
  for (let from = start; from < end; from += 8192)
    text += String.fromCharCode(...bytes.subarray(from, Math.min(end, from + 8192)));
  return text;
}

export function hexOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = '';
  for (let at = start; at < end; at++) text += HEX[bytes[at] as number];
  return text;
}

export function writeHex(hex: string, target: Uint8Array, offset: number): void {
  for (let at = 0; at * 2 < hex.length; at++)
    target[offset + at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = (a[at] as number) - (b[at] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
