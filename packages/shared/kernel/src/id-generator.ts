import type { Ulid } from './identifiers.ts';
import type { Token } from './token.ts';
import { token } from './token.ts';

export interface IdGenerator {
  /** Unique, and greater than every earlier one of this generator, also within one millisecond. */
  next(): Ulid;
}

export const IdGeneratorToken: Token<IdGenerator> = token('@cleveragents/shared-kernel/IdGenerator');
