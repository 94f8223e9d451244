import { ValidationError } from '@cleveragents/shared-kernel';
import type { Checkpoint } from './checkpoint.ts';

/** How many checkpoints a plan keeps. */
export interface RetentionPolicy {
  /** At least 1. Protected checkpoints may exceed it. */
  readonly maxCheckpoints: number;
  /** `false`: nothing is ever pruned. */
  readonly autoPrune: boolean;
}

/** @throws ValidationError for a maximum below 1. */
export function retentionPolicy({
  maxCheckpoints = 50,
  autoPrune = true,
}: {
  readonly maxCheckpoints?: number | undefined;
  readonly autoPrune?: boolean | undefined;
} = {}): RetentionPolicy {
  if (!Number.isSafeInteger(maxCheckpoints) || maxCheckpoints < 1)
    throw new ValidationError('max_checkpoints must be a whole number of at least 1');
  return { maxCheckpoints, autoPrune };
}

export interface Retained {
  /** Oldest first, as both are. */
  readonly kept: readonly Checkpoint[];
  readonly pruned: readonly Checkpoint[];
}

/**
 * What stays of a plan's checkpoints. Kept in any case: the most recent; the first, unless only one may stay; pinned ones; and
 * both the target and the safety checkpoint of a rollback under way. The rest is thinned one by one, always the checkpoint that leaves the smallest gap for
 * its age: what remains is dense near now and sparse near the start, however often pruning ran in between.
 */
export function prune(checkpoints: readonly Checkpoint[], policy: RetentionPolicy): Retained {
  const kept = checkpoints.toSorted((a, b) => a.sequence - b.sequence);
  if (!policy.autoPrune) return { kept, pruned: [] };
  const isProtected = protection(kept, policy);
  const pruned: Checkpoint[] = [];
  while (kept.length > policy.maxCheckpoints) {
    const index = leastMissed(kept, isProtected);
    if (index === undefined) break;
    pruned.push(...kept.splice(index, 1));
  }
  return { kept, pruned: pruned.sort((a, b) => a.sequence - b.sequence) };
}

function protection(
  ordered: readonly Checkpoint[],
  { maxCheckpoints }: RetentionPolicy,
): (checkpoint: Checkpoint) => boolean {
  const ends = new Set([ordered.at(-1), maxCheckpoints > 1 ? ordered[0] : undefined]);
  const targets = new Set(
    ordered.flatMap(({ rollback }) => (rollback?.isUnderWay === true ? rollback.targetCheckpointId : [])),
  );
  return (checkpoint) =>
    ends.has(checkpoint) ||
    checkpoint.pinned === true ||
    checkpoint.rollback?.isUnderWay === true ||
    targets.has(checkpoint.checkpointId);
}

/** The lower of two equals is the older: the same answer on every machine. */
function leastMissed(
  ordered: readonly Checkpoint[],
  isProtected: (checkpoint: Checkpoint) => boolean,
): number | undefined {
  const now = ordered.at(-1)?.sequence ?? 0;
  let least: { index: number; gapForAge: number } | undefined;
  for (const [index, checkpoint] of ordered.entries()) {
    if (isProtected(checkpoint)) continue;
    const before = ordered[index - 1]?.sequence ?? checkpoint.sequence - 1;
    const after = ordered[index + 1]?.sequence ?? now;
    const gapForAge = (after - before) / (now - checkpoint.sequence);
    if (least === undefined || gapForAge < least.gapForAge) least = { index, gapForAge };
  }
  return least?.index;
}
