import type { PlanId, PlanKey } from '@cleveragents/shared-kernel';
import { planKey } from '@cleveragents/shared-kernel';
import {
  PLAN_SCHEMA_VERSION,
  type PlanEvent,
  type PlanRecord,
  type PlanStatus,
  type Resource,
} from './plan-record.schema.ts';
import type { SandboxStrategy } from './sandbox-context.schema.ts';
import type { SandboxState } from './sandbox-state.schema.ts';

/** How many events a record keeps; the first one always stays. */
const MAX_EVENTS = 500;

/** `git-checkout` and `git` resources get a git worktree, everything else a file copy. */
export function strategyFor(resourceType: string): SandboxStrategy {
  return resourceType === 'git-checkout' || resourceType === 'git' ? 'git_worktree' : 'file_copy';
}

export function newPlan(planId: PlanId, resource: Resource, sandbox: SandboxState, at: Date): PlanRecord {
  return {
    schemaVersion: PLAN_SCHEMA_VERSION,
    planId,
    key: planKey(planId),
    resource,
    status: 'open',
    sandbox,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
    rescueRefs: [],
    history: [],
  };
}

/** The plan after its sandbox reached `sandbox`, with the event that led there. */
export function advanced(plan: PlanRecord, sandbox: SandboxState, event: PlanEvent): PlanRecord {
  const rescueRefs =
    sandbox.status === 'rolled_back' || sandbox.status === 'cleaned_up' ? sandbox.rescueRefs : [];
  return {
    ...recorded(plan, event),
    sandbox,
    status: statusOf(sandbox, plan.status),
    rescueRefs: [...new Set([...plan.rescueRefs, ...rescueRefs])],
  };
}

/** The plan with one more event, its sandbox as it was. */
export function recorded(plan: PlanRecord, event: PlanEvent): PlanRecord {
  const history = [...plan.history, event];
  return {
    ...plan,
    updatedAt: event.at,
    history:
      history.length <= MAX_EVENTS ? history : [...history.slice(0, 1), ...history.slice(1 - MAX_EVENTS)],
  };
}

export function keyOf(plan: PlanRecord): PlanKey {
  return plan.key as PlanKey;
}

/** Cleaning up does not take back what was applied or rolled back before. */
function statusOf(sandbox: SandboxState, before: PlanStatus): PlanStatus {
  if (sandbox.status === 'committed') return 'applied';
  if (sandbox.status === 'rolled_back') return 'rolled_back';
  if (sandbox.status === 'cleaned_up') return before === 'open' ? 'closed' : before;
  return 'open';
}
