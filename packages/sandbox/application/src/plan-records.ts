import { type Clock, hasCode, type PlanId } from '@cleveragents/shared-kernel';
import {
  advanced,
  assertIdle,
  PlanError,
  type PlanEvent,
  type PlanEventKind,
  type PlanRecord,
  recorded,
  type SandboxState,
} from '@cleveragents/sandbox-domain';
import type { PlanListing, PlanRepository } from '@cleveragents/sandbox-ports';

/** Something that happened to a plan, before it has its time. */
export interface Happening {
  readonly kind: PlanEventKind;
  /** One line, for people. */
  readonly detail: string;
  /** JSON values only. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The plans' records: read, changed under their lock, and never without an event that says why. */
export class PlanRecords {
  readonly #plans: PlanRepository;
  readonly #clock: Clock;

  constructor(plans: PlanRepository, clock: Clock) {
    this.#plans = plans;
    this.#clock = clock;
  }

  now(): Date {
    return this.#clock.now();
  }

  async list(): Promise<PlanListing> {
    return this.#plans.list();
  }

  async find(planId: PlanId): Promise<PlanRecord | null> {
    return this.#plans.load(planId);
  }

  /** @throws PlanError `PLAN_NOT_FOUND`. */
  async load(planId: PlanId): Promise<PlanRecord> {
    const plan = await this.#plans.load(planId);
    if (plan !== null) return plan;
    throw new PlanError('PLAN_NOT_FOUND', `There is no plan ${JSON.stringify(planId)} here`, {
      hint: 'See `cleveragents plan list`.',
      data: { planId },
    });
  }

  async withLock<T>(planId: PlanId, work: () => Promise<T>): Promise<T> {
    return this.#plans.withPlanLock(planId, work);
  }

  /** Writes down that work goes on in the plan's sandbox, until the answer is called. */
  async beginWork(planId: PlanId, label: string): Promise<() => Promise<void>> {
    return this.#plans.beginWork(planId, label);
  }

  /** @throws PlanError `PLAN_BUSY`. */
  async assertIdle(planId: PlanId): Promise<void> {
    assertIdle(planId, await this.#plans.listWork(planId));
  }

  async save(plan: PlanRecord): Promise<void> {
    await this.#plans.save(plan);
  }

  async delete(planId: PlanId): Promise<void> {
    await this.#plans.delete(planId);
  }

  /** The plan with its sandbox in a new state. */
  async advance(plan: PlanRecord, sandbox: SandboxState, happening: Happening): Promise<PlanRecord> {
    const next = advanced(plan, sandbox, this.#event(happening));
    await this.#plans.save(next);
    return next;
  }

  /** The plan with one more event and nothing else new. */
  async note(plan: PlanRecord, happening: Happening): Promise<void> {
    await this.#plans.save(recorded(plan, this.#event(happening)));
  }

  #event({ kind, detail, data = {} }: Happening): PlanEvent {
    return { at: this.#clock.now().toISOString(), kind, detail, data: { ...data } };
  }
}

/** For what is written down when something failed already: that failure is what the caller must hear of. */
export async function unlessStoreFails(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!hasCode(error, 'PLAN_STORE_FAILED')) throw error;
  }
}
