import { CodedError, type ErrorDetails } from '@cleveragents/shared-kernel';

/**
 * - `PLAN_NOT_FOUND`: nobody knows a plan of that id here; `data.planId`.
 * - `PLAN_EXISTS`: the id is taken by a plan that is open or applied.
 * - `PLAN_BUSY`: a command still runs in the plan's sandbox; `data.work` names it.
 * - `PLAN_WITHOUT_SANDBOX`: the call needs a sandbox and the plan has none (any more).
 * - `PLAN_NOTHING_RESCUED`: there is no kept work that a new sandbox could begin with.
 * - `PLAN_STRATEGY_MISSING`: no sandbox strategy is installed for the resource's type.
 */
export type PlanErrorCode =
  | 'PLAN_NOT_FOUND'
  | 'PLAN_EXISTS'
  | 'PLAN_BUSY'
  | 'PLAN_WITHOUT_SANDBOX'
  | 'PLAN_NOTHING_RESCUED'
  | 'PLAN_STRATEGY_MISSING';

export class PlanError extends CodedError<PlanErrorCode> {
  constructor(code: PlanErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details);
  }
}
