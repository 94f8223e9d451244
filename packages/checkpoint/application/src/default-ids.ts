import type { Clock, IdGenerator, Ulid } from '@cleveragents/shared-kernel';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_BITS = 80n;

/** ULIDs that only grow, for a service that was given no generator. Needs nothing but the platform's `crypto`. */
export class DefaultIds implements IdGenerator {
  readonly #clock: Clock;
  #last = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): Ulid {
    const random = crypto
      .getRandomValues(new Uint16Array(5))
      .reduce((sum, part) => (sum << 16n) | BigInt(part), 0n);
    const fresh = (BigInt(this.#clock.now().getTime()) << RANDOM_BITS) | random;
    this.#last = fresh > this.#last ? fresh : this.#last + 1n;
    return encode(this.#last) as Ulid;
  }
}

function encode(value: bigint): string {
  return Array.from({ length: 26 }, (_, at) => ALPHABET[Number((value >> BigInt(5 * (25 - at))) & 31n)]).join(
    '',
  );
}
