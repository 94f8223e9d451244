import type { ObjectId } from '@cleveragents/git-domain';

const MAGIC_V2 = 0xff744f63;
const FANOUT_BYTES = 1024;
const ID_BYTES = 20;
const LARGE_OFFSET = 0x80000000;

/** An `.idx` file: where in its pack each object begins. Versions 1 and 2. */
export class PackIndex {
  readonly #bytes: Buffer;
  readonly #fanout: number;
  readonly #ids: number;
  readonly #stride: number;
  readonly count: number;

  /** @throws RangeError for bytes that are no index of a pack. */
  constructor(bytes: Buffer) {
    const isV2 = bytes.readUInt32BE(0) === MAGIC_V2;
    if (isV2 && bytes.readUInt32BE(4) !== 2) throw new RangeError('unknown version');
    this.#bytes = bytes;
    this.#fanout = isV2 ? 8 : 0;
    this.#ids = this.#fanout + FANOUT_BYTES + (isV2 ? 0 : 4);
    this.#stride = isV2 ? ID_BYTES : ID_BYTES + 4;
    this.count = bytes.readUInt32BE(this.#fanout + FANOUT_BYTES - 4);
    if (bytes.length < this.#ids + this.count * (isV2 ? 28 : 24)) throw new RangeError('too short');
  }

  /** The object's offset in the pack; -1 when it is not in there. */
  find(id: ObjectId): number {
    const wanted = Buffer.from(id, 'hex');
    const bucket = wanted[0] as number;
    let low = bucket === 0 ? 0 : this.#bytes.readUInt32BE(this.#fanout + (bucket - 1) * 4);
    let high = this.#bytes.readUInt32BE(this.#fanout + bucket * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#ids + middle * this.#stride;
      const order = this.#bytes.compare(wanted, 0, ID_BYTES, at, at + ID_BYTES);
      if (order === 0) return this.#offsetOf(middle);
      if (order > 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }

  #offsetOf(position: number): number {
    if (this.#fanout === 0) return this.#bytes.readUInt32BE(this.#ids + position * this.#stride - 4);
    const offsets = this.#ids + this.count * (ID_BYTES + 4);
    const offset = this.#bytes.readUInt32BE(offsets + position * 4);
    if (offset < LARGE_OFFSET) return offset;
    const large = offsets + this.count * 4 + (offset - LARGE_OFFSET) * 8;
    return Number(this.#bytes.readBigUInt64BE(large));
  }
}
