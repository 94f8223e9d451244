import type { Finding } from '@cleveragents/sandbox-domain';
import { token, type Token } from '@cleveragents/shared-kernel';

/** Looks after something else than plans and sandboxes, and tells the doctor of it. */
export interface HealthCheck {
  /** Reads only. What this check itself can repair has the step `elsewhere`. */
  examine(): Promise<readonly Finding[]>;
  /**
   * Repairs what `examine` found, if it is still so; again: no effect.
   * @returns what was done, one sentence for people.
   */
  repair(finding: Finding): Promise<string>;
}

export const HealthChecksToken: Token<readonly HealthCheck[]> = token(
  '@cleveragents/sandbox-ports/HealthChecks',
);
