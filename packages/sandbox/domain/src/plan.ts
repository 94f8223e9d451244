import type { PlanId, PlanKey } from '@cleveragents/shared-kernel';
import { planKey } from '@cleveragents/shared-kernel';
import type { CommitResult } from './commit-result.schema.ts';
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

/** The event data of an apply, from which a later process can finish the clean-up that goes with it. */
export interface ApplyEventData {
  /** When it was applied, ISO UTC. */
  readonly at: string;
  /** Whether the sandbox is to be cleaned up. */
  readonly cleansUp: boolean;
}

/** An apply that is done but for the clean-up of its sandbox; null when there is none. */
export function applyToFinish({ sandbox, history }: PlanRecord): { result: CommitResult; at: Date } | null {
  const last = history.at(-1);
  if (sandbox.status !== 'committed' || last?.kind !== 'applied' || last.data?.['cleansUp'] !== true)
    return null;
  return { result: sandbox.result, at: new Date(String(last.data['at'])) };
}

/** What work rescued from the sandbox is based on, a commit or the id of a copy; null when there is no sandbox yet. */
export function baseCommitOf({ sandbox }: PlanRecord): string | null {
  if (sandbox.status === 'pending' || sandbox.context === null) return null;
  const { metadata } = sandbox.context;
  return metadata.strategy === 'git_worktree' ? metadata.baseCommit : (metadata.base ?? null);
}

/** What the history says of an apply, in one line. */
export function appliedDetail({ files, targetBranch }: CommitResult): string {
  if (files.length === 0) return 'Applied: nothing had changed';
  return `Applied ${files.length} file${files.length === 1 ? '' : 's'}${targetBranch === null ? '' : ` to ${targetBranch}`}`;
}

/** Cleaning up does not take back what was applied or rolled back before. */
function statusOf(sandbox: SandboxState, before: PlanStatus): PlanStatus {
  if (sandbox.status === 'committed') return 'applied';
  if (sandbox.status === 'rolled_back') return 'rolled_back';
  if (sandbox.status === 'cleaned_up') return before === 'open' ? 'closed' : before;
  return 'open';
}
