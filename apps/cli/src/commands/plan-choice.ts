import type { PlanRecord } from '@cleveragents/sandbox-domain';
import { CliError } from '../cli.errors.ts';
import type { Workbench } from '../composition-root.ts';

/** The plan that a command is about: the one named, else the only open one (or the only one that `isMeant`). */
export async function choosePlan(
  { plans }: Workbench,
  named: string | undefined,
  isMeant: (plan: PlanRecord) => boolean = isOpen,
): Promise<string> {
  if (named !== undefined) return (await plans.show(named)).planId;
  const candidates = (await plans.list()).plans.filter(isMeant);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only.planId;
  if (only === undefined)
    throw new CliError('CLI_USAGE', 'There is no plan that this could be about', {
      hint: 'Begin one with `cleveragents plan create` or `cleveragents run`, or name one: see `cleveragents plan list --all`.',
    });
  throw new CliError(
    'CLI_USAGE',
    `Which plan? ${candidates.map(({ planId }) => JSON.stringify(planId)).join(', ')}`,
    {
      hint: 'Give the plan id.',
      data: { planIds: candidates.map(({ planId }) => planId) },
    },
  );
}

export function isOpen({ status }: PlanRecord): boolean {
  return status === 'open';
}

export function hasSandbox({ sandbox }: PlanRecord): boolean {
  return sandbox.status !== 'pending' && sandbox.status !== 'cleaned_up';
}

export function canBeRolledBack({ sandbox }: PlanRecord): boolean {
  return sandbox.status === 'active' || sandbox.status === 'committed';
}
