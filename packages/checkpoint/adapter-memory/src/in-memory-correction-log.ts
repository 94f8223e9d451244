import type { Correction } from '@cleveragents/checkpoint-domain';
import type { CorrectionLog } from '@cleveragents/checkpoint-ports';
import type { PlanId } from '@cleveragents/shared-kernel';

/** Corrections for as long as the process lives. */
export class InMemoryCorrectionLog implements CorrectionLog {
  readonly #corrections: Correction[] = [];

  async record(correction: Correction): Promise<void> {
    this.#corrections.push(correction);
  }

  async listByPlan(planId: PlanId): Promise<readonly Correction[]> {
    return this.#corrections.filter((correction) => correction.planId === planId);
  }
}
