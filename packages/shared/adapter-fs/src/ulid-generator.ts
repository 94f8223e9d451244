import type { Clock, IdGenerator, Ulid } from '@cleveragents/shared-kernel';
import { monotonicFactory } from 'ulid';
import { SystemClock } from './system-clock.ts';

/** ULIDs that only grow, also within one millisecond and when the clock goes back. */
export class UlidGenerator implements IdGenerator {
  readonly #clock: Clock;
  readonly #next = monotonicFactory();

  constructor(clock: Clock = new SystemClock()) {
    this.#clock = clock;
  }

  next(): Ulid {
    return this.#next(this.#clock.now().getTime()) as Ulid;
  }
}
