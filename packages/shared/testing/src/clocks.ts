import type { Clock } from '@cleveragents/shared-kernel';

const START = '2026-01-01T00:00:00.000Z';

/** Stands still, until told otherwise. */
export class FixedClock implements Clock {
  #instant: Date;

  constructor(instant: Date | string = START) {
    this.#instant = new Date(instant);
  }

  now(): Date {
    return new Date(this.#instant);
  }

  set(instant: Date | string): void {
    this.#instant = new Date(instant);
  }

  /** Backwards with a negative number. */
  advance(milliseconds: number): void {
    this.#instant = new Date(this.#instant.getTime() + milliseconds);
  }
}

/** Goes one step forward after every look. */
export class SteppingClock implements Clock {
  #next: number;
  readonly #stepMs: number;

  constructor(start: Date | string = START, stepMs = 1000) {
    this.#next = new Date(start).getTime();
    this.#stepMs = stepMs;
  }

  now(): Date {
    const instant = new Date(this.#next);
    this.#next += this.#stepMs;
    return instant;
  }
}
