import type { Token } from './token.ts';
import { token } from './token.ts';

export interface Clock {
  /** The present instant. May go back between two calls: order by a sequence, never by this. */
  now(): Date;
}

export const ClockToken: Token<Clock> = token('@cleveragents/shared-kernel/Clock');
