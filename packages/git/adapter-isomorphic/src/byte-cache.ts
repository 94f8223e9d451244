/** Keeps what was used last, up to a number of bytes. */
export class ByteCache<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #maxBytes: number;
  readonly #sizeOf: (value: Value) => number;
  #bytes = 0;

  constructor(maxBytes: number, sizeOf: (value: Value) => number) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** A value that would fill half of the cache alone is not kept. */
  set(key: Key, value: Value): void {
    const size = this.#sizeOf(value);
    if (size * 2 > this.#maxBytes || this.#values.has(key)) return;
    this.#values.set(key, value);
    this.#bytes += size;
    for (const [oldest, dropped] of this.#values) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#values.delete(oldest);
      this.#bytes -= this.#sizeOf(dropped);
    }
  }
}
