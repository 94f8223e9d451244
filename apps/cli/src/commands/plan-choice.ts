import type { PlanRecord } from '@cleveragents/sandbox-domain';
import { CliError } from '../cli.errors.ts';
import type { Workbench } from '../composition-root.ts';
import { aboutPlan } from './plan-failure.ts';

const MAX_NAMED = 5;

export interface Choice {
  /** Default: a plan that is open. */
  readonly isMeant?: (plan: PlanRecord) => boolean;
  /** An open plan comes before others that could be meant. Default: true. */
  readonly prefersOpen?: boolean;
}

/** Chooses the plan and works on it; what fails is known to be about it. */
export async function withChosenPlan<T>(
  bench: Workbench,
  named: string | undefined,
  work: (planId: string) => Promise<T>,
  choice?: Choice,
): Promise<T> {
  const planId = await choosePlan(bench, named, choice);
  return aboutPlan(planId, () => work(planId));
}

/** The plan that a command is about: the one named, else the only one that can be meant. */
export async function choosePlan(
  { plans }: Workbench,
  named: string | undefined,
  { isMeant = isOpen, prefersOpen = true }: Choice = {},
): Promise<string> {
  if (named !== undefined) return (await plans.show(named)).planId;
  const meant = (await plans.list()).plans.filter(isMeant);
  const open = prefersOpen ? meant.filter(isOpen) : [];
  const candidates = open.length > 0 ? open : meant;
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only.planId;
  if (only === undefined)
    throw new CliError('CLI_USAGE', 'There is no plan that this could be about', {
      hint: 'Begin one with `cleveragents plan create` or `cleveragents run`, or name one: see `cleveragents plan list --all`.',
    });
  throw new CliError(
    'CLI_USAGE',
    `Which plan? ${candidates
      .slice(0, MAX_NAMED)
      .map(({ planId }) => JSON.stringify(planId))
      .join(', ')}${candidates.length > MAX_NAMED ? ` or ${candidates.length - MAX_NAMED} more` : ''}`,
    {
      hint: 'Give the plan id: see `cleveragents plan list --all`.',
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
