import type { PlanId } from '@cleveragents/shared-kernel';
import type { Checkpoint } from './checkpoint.ts';
import { CheckpointError } from './checkpoint.errors.ts';

/** What a rollback must know of the plan before it looks at a file. */
export interface RollbackFacts {
  readonly planId: PlanId;
  readonly checkpoint: Checkpoint;
  readonly isApplied: boolean;
  /** Where the sandbox lies, or `null` when there is none any more. */
  readonly sandboxPath: string | null;
}

/**
 * Refuses in this order: applied, sandbox missing, other plan. Returns where the sandbox lies.
 *
 * @throws CheckpointError `ROLLBACK_PLAN_APPLIED`, `ROLLBACK_SANDBOX_MISSING`, `ROLLBACK_WRONG_PLAN`.
 */
export function guardRollback({ planId, checkpoint, isApplied, sandboxPath }: RollbackFacts): string {
  const data = { planId, checkpointId: checkpoint.checkpointId };
  if (isApplied)
    throw new CheckpointError(
      'ROLLBACK_PLAN_APPLIED',
      `cannot roll back ${JSON.stringify(planId)}: plan is already applied`,
      { hint: 'Roll the plan itself back to undo the apply.', data },
    );
  if (sandboxPath === null)
    throw new CheckpointError(
      'ROLLBACK_SANDBOX_MISSING',
      `cannot roll back ${JSON.stringify(planId)}: sandbox is missing`,
      { hint: "Restore the sandbox from the plan's last checkpoint first.", data },
    );
  if (checkpoint.planId !== planId)
    throw new CheckpointError(
      'ROLLBACK_WRONG_PLAN',
      `checkpoint ${checkpoint.checkpointId} does not belong to plan ${JSON.stringify(planId)}`,
      { hint: `It belongs to plan ${JSON.stringify(checkpoint.planId)}.`, data },
    );
  return sandboxPath;
}
