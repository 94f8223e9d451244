/**
 * What a delta of a pack makes of its base.
 *
 * @throws RangeError for a delta that is damaged or was made for another base.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const reader = new DeltaReader(delta);
  if (reader.size() !== base.length) throw new RangeError('a delta does not fit its base');
  const result = new Uint8Array(reader.size());
  let filled = 0;
  while (!reader.atEnd) {
    const part = reader.next(base);
    if (filled + part.length > result.length) throw new RangeError('a delta overruns');
    result.set(part, filled);
    filled += part.length;
  }
  if (filled !== result.length) throw new RangeError('a delta ends early');
  return result;
}

const IS_COPY = 0x80;
/** What a length of 0 stands for. */
const WHOLE_COPY_BYTES = 0x10000;

class DeltaReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  size(): number {
    let size = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      size += (byte & 0x7f) * factor;
      if ((byte & 0x80) === 0) return size;
    }
  }

  /** The next part of the result: a piece of the base, or bytes that the delta brings. */
  next(base: Uint8Array): Uint8Array {
    const command = this.#byte();
    if (command & IS_COPY) {
      const offset = this.#number(command, 4);
      const length = this.#number(command >> 4, 3) || WHOLE_COPY_BYTES;
      if (offset + length > base.length) throw new RangeError('a delta copies what its base does not have');
      return base.subarray(offset, offset + length);
    }
    const end = this.#at + command;
    if (command === 0 || end > this.#bytes.length) throw new RangeError('a delta ends early');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  /** Little end first; only the bytes that `flags` name are there, the others are 0. */
  #number(flags: number, bytes: number): number {
    let value = 0;
    for (let at = 0; at < bytes; at++) if (flags & (1 << at)) value += this.#byte() * 256 ** at;
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('a delta ends early');
    return byte;
  }
}
