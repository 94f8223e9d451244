import { isUlid, type PlanId } from '@cleveragents/shared-kernel';
import type { Checkpoint } from './checkpoint.ts';
import { CheckpointError } from './checkpoint.errors.ts';

export const CORRECTION_MODES = ['revert', 'append'] as const;
/** `revert` goes back to just before the decision; `append` leaves the files and only records the guidance. */
export type CorrectionMode = (typeof CORRECTION_MODES)[number];

/** That somebody corrected a decision: kept for audit, also when retention has dropped the checkpoint. */
export interface Correction {
  readonly correctionId: string;
  readonly planId: PlanId;
  readonly decisionId: string;
  readonly mode: CorrectionMode;
  readonly guidance: string;
  /** The checkpoint that the decision was aligned with. */
  readonly checkpointId: string;
  /** Rolls a `revert` back; absent for `append`. */
  readonly safetyCheckpointId?: string;
  /** ISO 8601 in UTC. */
  readonly correctedAt: string;
}

/**
 * The state just before a decision took effect: the oldest checkpoint aligned with it.
 *
 * @throws CheckpointError `CORRECTION_CHECKPOINT_MISSING`, which names the nearest earlier checkpoint if there is one.
 */
export function alignedCheckpoint(
  checkpoints: readonly Checkpoint[],
  planId: PlanId,
  decisionId: string,
): Checkpoint {
  const ordered = checkpoints.toSorted((a, b) => a.sequence - b.sequence);
  const aligned = ordered.find((checkpoint) => checkpoint.decisionId === decisionId);
  if (aligned !== undefined) return aligned;
  const nearest = nearestEarlier(ordered, decisionId);
  throw new CheckpointError(
    'CORRECTION_CHECKPOINT_MISSING',
    `no checkpoint of plan ${JSON.stringify(planId)} is aligned with decision ${JSON.stringify(decisionId)}`,
    {
      hint:
        nearest === undefined
          ? 'The plan has no earlier checkpoint.'
          : `The nearest earlier checkpoint is ${nearest.checkpointId}; roll back to it if that is what you want.`,
      data: { planId, decisionId, nearestCheckpointId: nearest?.checkpointId ?? null },
    },
  );
}

/** Decision ids that are ULIDs tell their order; of any other decision we only know that it is not later than now. */
function nearestEarlier(ordered: readonly Checkpoint[], decisionId: string): Checkpoint | undefined {
  if (!isUlid(decisionId)) return ordered.at(-1);
  return ordered.findLast((checkpoint) =>
    isUlid(checkpoint.checkpointId) ? checkpoint.checkpointId <= decisionId : false,
  );
}
