import { type PlanId } from '@cleveragents/shared-kernel';
import type { LockTrace, PlanRecord } from '@cleveragents/sandbox-domain';
import type { PlanListing, PlanRepository } from '@cleveragents/sandbox-ports';

/** Plans of one process, for tests and for teams that keep none. */
export class InMemoryPlanRepository implements PlanRepository {
  readonly #plans = new Map<string, PlanRecord>();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #work = new Map<symbol, { readonly planId: string; readonly label: string }>();

  async load(planId: PlanId): Promise<PlanRecord | null> {
    return this.#plans.get(planId) ?? null;
  }

  async save(plan: PlanRecord): Promise<void> {
    this.#plans.set(plan.planId, JSON.parse(JSON.stringify(plan)) as PlanRecord); // as a file would keep it
  }

  async list(): Promise<PlanListing> {
    const byAge = (a: PlanRecord, b: PlanRecord): number =>
      a.createdAt === b.createdAt ? (a.planId < b.planId ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1;
    return { plans: [...this.#plans.values()].sort(byAge), unreadable: [] };
  }

  async delete(planId: PlanId): Promise<void> {
    this.#plans.delete(planId);
  }

  async withPlanLock<T>(planId: PlanId, work: () => Promise<T>): Promise<T> {
    const turn = (this.#queues.get(planId) ?? Promise.resolve()).then(work, work);
    this.#queues.set(
      planId,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async beginWork(planId: PlanId, label: string): Promise<() => Promise<void>> {
    const work = Symbol(label);
    this.#work.set(work, { planId, label });
    return async () => void this.#work.delete(work);
  }

  async listLocks(): Promise<readonly LockTrace[]> {
    return [];
  }

  async freeLock(): Promise<boolean> {
    return false;
  }

  async putAside(): Promise<string | null> {
    return null;
  }

  async listWork(planId: PlanId): Promise<readonly string[]> {
    return [...this.#work.values()].flatMap((work) => (work.planId === planId ? [work.label] : [])).sort();
  }
}
