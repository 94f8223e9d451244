import type { IdGenerator, Ulid } from '@cleveragents/shared-kernel';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 2026-01-01T00:00:00Z, as the time part of a ULID. */
const TIME = encode(1_767_225_600_000n, 10);

/** Real ULIDs, each greater than the one before; the same seed gives the same ones. Two seeds never meet. */
export class SeededIds implements IdGenerator {
  readonly #seed: string;
  #count = 0n;

  constructor(seed = 0) {
    this.#seed = encode(BigInt(seed), 7);
  }

  next(): Ulid {
    this.#count += 1n;
    return `${TIME}${this.#seed}${encode(this.#count, 9)}` as Ulid;
  }
}

function encode(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  for (let digit = 0; digit < length; digit += 1) {
    text = (ALPHABET[Number(rest % 32n)] ?? '') + text;
    rest /= 32n;
  }
  return text;
}
