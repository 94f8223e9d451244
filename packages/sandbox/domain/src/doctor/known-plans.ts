import { parsePlanId, planKey } from '@cleveragents/shared-kernel';
import type { PlanRecord } from '../plan-record.schema.ts';
import type { SandboxContext } from '../sandbox-context.schema.ts';
import type { DoctorFacts, UnreadableRecord } from './facts.ts';

/** What is known of plans, asked by a sandbox, a key or an id. */
export class KnownPlans {
  readonly all: readonly PlanRecord[];
  readonly #unreadableKeys: ReadonlySet<string>;

  constructor({ plans, unreadable, sandboxes: { strategy } }: DoctorFacts) {
    this.all = plans.filter((plan) => {
      const context = contextOf(plan);
      return context === null || context.metadata.strategy === strategy;
    });
    this.#unreadableKeys = new Set(unreadable.map(keyOfRecord));
  }

  byId(planId: string): PlanRecord | null {
    return this.all.find((plan) => plan.planId === planId) ?? null;
  }

  byKey(key: string): PlanRecord | null {
    return this.all.find((plan) => plan.key === key) ?? null;
  }

  /** The plan that counts on the sandbox. */
  ownerOf(sandboxId: string): PlanRecord | null {
    return this.all.find((plan) => plan.sandbox.sandboxId === sandboxId && hasUseForSandbox(plan)) ?? null;
  }

  /** The plan may exist: its record is there and cannot be read. */
  isUnreadable(planId: string | null): boolean {
    return planId !== null && this.#unreadableKeys.has(planKey(parsePlanId(planId)));
  }

  isUnreadableKey(key: string): boolean {
    return this.#unreadableKeys.has(key);
  }
}

export function contextOf({ sandbox }: PlanRecord): SandboxContext | null {
  return sandbox.status === 'pending' ? null : sandbox.context;
}

/** The sandboxes that plans count on. */
export function sandboxesInUse(plans: readonly PlanRecord[]): readonly SandboxContext[] {
  return plans.filter(hasUseForSandbox).flatMap((plan) => contextOf(plan) ?? []);
}

/** Once a sandbox is removed, nobody misses it: of an applied plan the history says so alone. */
export function hasUseForSandbox({ sandbox, history }: PlanRecord): boolean {
  if (sandbox.status === 'committed') return history.at(-1)?.kind !== 'cleaned_up';
  return sandbox.status !== 'cleaned_up';
}

function keyOfRecord({ name }: UnreadableRecord): string {
  return name.replace(/\.json$/, '');
}
