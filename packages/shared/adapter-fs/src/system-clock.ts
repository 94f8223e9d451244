import type { Clock } from '@cleveragents/shared-kernel';

/** The machine's clock, with all its leaps. */
export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }
}
