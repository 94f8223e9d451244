import type { ApplyPlan } from '@cleveragents/sandbox-application';
import type { ApplySummary } from '@cleveragents/sandbox-domain';
import type { Workbench } from '../composition-root.ts';

/**
 * Applies a plan whose sandbox may hold a rollback to a checkpoint that a crash cut short: that is settled first, so that
 * no half of it is taken into the project.
 */
export async function applySettled(
  { plans, checkpoints }: Pick<Workbench, 'plans' | 'checkpoints'>,
  planId: string,
  options: ApplyPlan,
): Promise<ApplySummary> {
  await checkpoints.settleSandbox(planId);
  return plans.apply(planId, options);
}
