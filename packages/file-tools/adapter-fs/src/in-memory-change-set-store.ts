import type { ChangeEntry } from '@cleveragents/file-tools-domain';
import type { ChangeSetStore } from '@cleveragents/file-tools-ports';
import type { PlanId } from '@cleveragents/shared-kernel';

/** Change sets that end with the process. */
export class InMemoryChangeSetStore implements ChangeSetStore {
  readonly #entries = new Map<PlanId, readonly ChangeEntry[]>();

  async append(planId: PlanId, entries: readonly ChangeEntry[]): Promise<void> {
    this.#entries.set(planId, [...(this.#entries.get(planId) ?? []), ...entries]);
  }

  async load(planId: PlanId): Promise<readonly ChangeEntry[]> {
    return this.#entries.get(planId) ?? [];
  }

  async clear(planId: PlanId): Promise<void> {
    this.#entries.delete(planId);
  }
}
