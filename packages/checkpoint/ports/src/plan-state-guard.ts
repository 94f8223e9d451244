import { type PlanId, type Token, token } from '@cleveragents/shared-kernel';

/** What a rollback must know of a plan. The service that owns plans satisfies it as it is. */
export interface PlanStateGuard {
  /** Whether the plan's work has reached the original. `false` for an unknown plan. */
  isApplied(planId: PlanId): Promise<boolean>;
  /** Absolute path of the plan's sandbox; `null` when it has none, or none any more. */
  sandboxPath(planId: PlanId): Promise<string | null>;
}

export const PlanStateGuardToken: Token<PlanStateGuard> = token(
  '@cleveragents/checkpoint-ports/PlanStateGuard',
);
