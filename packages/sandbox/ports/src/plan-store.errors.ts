import { CodedError, type ErrorDetails } from '@cleveragents/shared-kernel';

/**
 * - `PLAN_RECORD_UNREADABLE`: a stored record is damaged or of a newer version; `data.file` says which.
 * - `PLAN_LOCKED`: another process works on the plan; `data.owner` says which.
 * - `PLAN_STORE_FAILED`: the file system refused; the old record is still there.
 */
export type PlanStoreErrorCode = 'PLAN_RECORD_UNREADABLE' | 'PLAN_LOCKED' | 'PLAN_STORE_FAILED';

export class PlanStoreError extends CodedError<PlanStoreErrorCode> {
  constructor(code: PlanStoreErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details);
  }
}
