/** What a delta makes of its base. @throws Error for a delta that is damaged or was made for another base. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const reader = new DeltaReader(delta);
  if (reader.size() !== base.length) throw new Error('a delta does not fit its base');
  const result = Buffer.allocUnsafe(reader.size());
  let filled = 0;
  while (!reader.atEnd) {
    const command = reader.byte();
    if (command & 128) {
      const { offset, length } = reader.copy(command);
      if (offset + length > base.length || filled + length > result.length)
        throw new Error('a delta overruns');
      base.copy(result, filled, offset, offset + length);
      filled += length;
    } else {
      if (command === 0 || filled + command > result.length) throw new Error('a delta overruns');
      reader.insert(command, result, filled);
      filled += command;
    }
  }
  if (filled !== result.length) throw new Error('a delta ends early');
  return result;
}

class DeltaReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  size(): number {
    let size = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      size += (byte & 127) * scale;
      if (!(byte & 128)) return size;
    }
  }

  /** Low seven bits of the command say which bytes of offset and length follow. */
  copy(command: number): { offset: number; length: number } {
    let offset = 0;
    let length = 0;
    for (let at = 0; at < 4; at++) if (command & (1 << at)) offset += this.byte() * 256 ** at;
    for (let at = 0; at < 3; at++) if (command & (16 << at)) length += this.byte() * 256 ** at;
    return { offset, length: length === 0 ? 0x10000 : length };
  }

  insert(length: number, target: Buffer, offset: number): void {
    if (this.#at + length > this.#bytes.length) throw new Error('a delta ends early');
    this.#bytes.copy(target, offset, this.#at, this.#at + length);
    this.#at += length;
  }
}
