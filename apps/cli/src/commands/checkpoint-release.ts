import { type PlanRecord, RESCUE_DAYS } from '@cleveragents/sandbox-domain';
import { messageOf } from '@cleveragents/shared-kernel';
import type { Workbench } from '../composition-root.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface ReleasedPlans {
  /** Those that had checkpoints to let go of. */
  readonly planIds: readonly string[];
  readonly checkpointCount: number;
  readonly freedBytes: number;
}

type Part = Pick<Workbench, 'plans' | 'checkpoints' | 'clock'>;

/**
 * Lets go of the checkpoints of plans that are over and in whose sandbox nobody goes on, but of pinned ones: as long after their end as
 * other work of theirs is kept, or `atOnce`.
 */
export async function releaseOverPlans(
  { plans, checkpoints, clock }: Part,
  { atOnce }: { readonly atOnce: boolean },
): Promise<ReleasedPlans> {
  const before = atOnce ? Infinity : clock.now().getTime() - RESCUE_DAYS * DAY_MS;
  const planIds: string[] = [];
  let checkpointCount = 0;
  let freedBytes = 0;
  for (const plan of (await plans.list()).plans) {
    const { planId } = plan;
    const endedAt = endOf(plan);
    if (endedAt === null || endedAt >= before) continue;
    const newest = (await checkpoints.listCheckpoints(planId)).at(-1);
    if (newest === undefined || Date.parse(newest.createdAt) >= before) continue;
    const { released, freedBytes: freed } = await checkpoints.releasePlan(planId);
    if (released.length > 0) planIds.push(planId);
    checkpointCount += released.length;
    freedBytes += freed;
  }
  return { planIds, checkpointCount, freedBytes };
}

/** After what a person asked for was done: that this failed is worth a warning, and no more. */
export async function releaseForgotten(terminal: Terminal, bench: Part): Promise<void> {
  try {
    await releaseOverPlans(bench, { atOnce: false });
  } catch (error) {
    terminal.error(`warning: old checkpoints were not released: ${printable(messageOf(error))}\n`);
  }
}

/** `null`: it is not over. */
function endOf({ status, sandbox, history }: PlanRecord): number | null {
  const isAtWork = sandbox.status === 'created' || sandbox.status === 'active';
  if (status === 'open' || isAtWork) return null;
  return Date.parse(history.at(-1)?.at ?? '') || 0;
}
