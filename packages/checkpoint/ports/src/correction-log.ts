import type { Correction } from '@cleveragents/checkpoint-domain';
import { type PlanId, type Token, token } from '@cleveragents/shared-kernel';

/** The audit trail of corrections. It only grows: retention of checkpoints does not reach it. */
export interface CorrectionLog {
  /** Visible to the next `listByPlan` once resolved. */
  record(correction: Correction): Promise<void>;
  /** In the order of recording. Empty for an unknown plan. */
  listByPlan(planId: PlanId): Promise<readonly Correction[]>;
}

export const CorrectionLogToken: Token<CorrectionLog> = token('@cleveragents/checkpoint-ports/CorrectionLog');
