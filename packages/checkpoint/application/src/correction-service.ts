import {
  alignedCheckpoint,
  CheckpointError,
  type Correction,
  type CorrectionMode,
  CORRECTION_MODES,
  type RollbackResult,
} from '@cleveragents/checkpoint-domain';
import type { CorrectionLog } from '@cleveragents/checkpoint-ports';
import { type Clock, type IdGenerator, parsePlanId, ValidationError } from '@cleveragents/shared-kernel';
import type { CheckpointService } from './checkpoint-service.ts';
import { DefaultIds } from './default-ids.ts';

export interface CorrectionServiceParts {
  /** Without it corrections are refused. */
  readonly checkpoints?: CheckpointService | undefined;
  /** Where corrections are recorded for audit. Without it they are returned and kept nowhere. */
  readonly corrections?: CorrectionLog | undefined;
  readonly ids?: IdGenerator | undefined;
  readonly clock?: Clock | undefined;
}

export interface CorrectDecision {
  readonly planId: string;
  readonly decisionId: string;
  readonly mode: CorrectionMode;
  /** What to do instead. */
  readonly guidance: string;
  /** Ends a rollback with its reason as long as no file was touched; nothing is recorded then. */
  readonly signal?: AbortSignal | undefined;
}

export interface CorrectionResult {
  readonly correction: Correction;
  /** `null` for `append`, which leaves the files. */
  readonly rollback: RollbackResult | null;
}

/** Corrects decisions of a plan: back to just before one, or onwards with guidance. */
export class CorrectionService {
  readonly #checkpoints: CheckpointService | undefined;
  readonly #corrections: CorrectionLog | undefined;
  readonly #clock: Clock;
  readonly #ids: IdGenerator;

  constructor({ checkpoints, corrections, ids, clock }: CorrectionServiceParts = {}) {
    this.#checkpoints = checkpoints;
    this.#corrections = corrections;
    this.#clock = clock ?? { now: () => new Date() };
    this.#ids = ids ?? new DefaultIds(this.#clock);
  }

  get hasCheckpointSupport(): boolean {
    return this.#checkpoints !== undefined;
  }

  /**
   * @throws ValidationError for an empty id or an unknown mode; CheckpointError `CORRECTION_CHECKPOINT_MISSING`, which names the
   *   nearest earlier checkpoint; for `revert` also what a rollback throws. Nothing is recorded then.
   */
  async correct({ planId, decisionId, mode, guidance, signal }: CorrectDecision): Promise<CorrectionResult> {
    const plan = parsePlanId(planId);
    if (decisionId === '') throw new ValidationError('decision_id cannot be empty');
    if (!CORRECTION_MODES.includes(mode))
      throw new ValidationError(
        `mode must be one of ${CORRECTION_MODES.join(', ')}, not ${JSON.stringify(mode)}`,
      );
    const checkpoints = this.#checkpoints;
    if (checkpoints === undefined)
      throw new CheckpointError('CHECKPOINT_SUPPORT_MISSING', 'this correction service has no checkpoints', {
        hint: 'Give CorrectionService a CheckpointService.',
      });
    const aligned = alignedCheckpoint(await checkpoints.listCheckpoints(plan), plan, decisionId);
    const rollback =
      mode === 'revert'
        ? await checkpoints.rollbackToCheckpoint(plan, aligned.checkpointId, {
            reason: `correction of decision ${decisionId}: ${guidance}`,
            signal,
          })
        : null;
    const correction: Correction = {
      correctionId: this.#ids.next(),
      planId: plan,
      decisionId,
      mode,
      guidance,
      checkpointId: aligned.checkpointId,
      ...(rollback?.safetyCheckpointId && { safetyCheckpointId: rollback.safetyCheckpointId }),
      correctedAt: this.#clock.now().toISOString(),
    };
    await this.#corrections?.record(correction);
    return { correction, rollback };
  }
}
