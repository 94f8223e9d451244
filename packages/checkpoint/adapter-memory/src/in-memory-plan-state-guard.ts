import type { PlanStateGuard } from '@cleveragents/checkpoint-ports';
import type { PlanId } from '@cleveragents/shared-kernel';

export interface InMemoryPlanState {
  readonly isApplied?: boolean;
  readonly sandboxPath?: string | null;
}

/** Says of each plan what it was told; of any other that it is neither applied nor has a sandbox. */
export class InMemoryPlanStateGuard implements PlanStateGuard {
  readonly #states: Map<string, InMemoryPlanState>;

  constructor(states: Iterable<readonly [planId: string, state: InMemoryPlanState]> = []) {
    this.#states = new Map(states);
  }

  set(planId: string, state: InMemoryPlanState): void {
    this.#states.set(planId, state);
  }

  async isApplied(planId: PlanId): Promise<boolean> {
    return this.#states.get(planId)?.isApplied ?? false;
  }

  async sandboxPath(planId: PlanId): Promise<string | null> {
    return this.#states.get(planId)?.sandboxPath ?? null;
  }
}
