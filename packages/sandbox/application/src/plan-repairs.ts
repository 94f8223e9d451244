import { parsePlanId } from '@cleveragents/shared-kernel';
import {
  hasUseForSandbox,
  newPlan,
  RESCUE_DAYS,
  type RepairStep,
  type Resource,
  type SandboxContext,
  type SandboxState,
} from '@cleveragents/sandbox-domain';
import type { PlanRepository } from '@cleveragents/sandbox-ports';
import { cleanUpPlan } from './clean-up-plan.ts';
import type { PlanRecords } from './plan-records.ts';
import { type PlanSandboxes, placeOf } from './plan-sandboxes.ts';

type StepOf<Name extends RepairStep['step']> = Extract<RepairStep, { step: Name }>;

const NOTHING = 'Nothing had to be done any more.';

/** Carries out single steps of repairs. Each looks again, under the plan's lock, whether things are as they were found. */
export class PlanRepairs {
  readonly #plans: PlanRepository;
  readonly #records: PlanRecords;
  readonly #sandboxes: PlanSandboxes;

  constructor(plans: PlanRepository, records: PlanRecords, sandboxes: PlanSandboxes) {
    this.#plans = plans;
    this.#records = records;
    this.#sandboxes = sandboxes;
  }

  /** @returns what was done, one sentence for people. */
  async run(resource: Resource, step: RepairStep): Promise<string> {
    switch (step.step) {
      case 'clean-up':
        return this.#cleanUp(step);
      case 'adopt':
        return this.#adopt(resource, step);
      case 'remove':
        return this.#remove(resource, step);
      case 'put-aside': {
        const aside = await this.#plans.putAside(step.name);
        return aside === null ? NOTHING : `It is kept as ${aside}.`;
      }
      case 'free-lock':
        if (await this.#plans.freeLock(step.path)) return 'The lock is free.';
        return this.#sandboxes.factoryFor(resource).repair(resource.path, step);
      case 'elsewhere':
        throw new Error('a finding without the check that made it');
      default:
        return this.#sandboxes.factoryFor(resource).repair(resource.path, step);
    }
  }

  #cleanUp({ planId, updatedAt }: StepOf<'clean-up'>): Promise<string> {
    const parsed = parsePlanId(planId);
    return this.#records.withLock(parsed, async () => {
      const plan = await this.#records.find(parsed);
      if (plan === null || plan.updatedAt !== updatedAt) return NOTHING;
      await this.#records.assertIdle(parsed);
      const { rescuedTo } = await cleanUpPlan(this.#records, this.#sandboxes.of(plan), plan);
      return said('What was left of the sandbox is removed.', rescuedTo);
    });
  }

  #adopt(resource: Resource, { planId, state }: StepOf<'adopt'>): Promise<string> {
    const parsed = parsePlanId(planId);
    return this.#records.withLock(parsed, async () => {
      const isKnown = (await this.#records.find(parsed)) !== null;
      if (isKnown || !(await this.#isThere(resource, state.sandboxId))) return NOTHING;
      const plan = newPlan(parsed, resource, state, this.#records.now());
      await this.#records.note(plan, { kind: 'recovered', detail: 'Record written anew by the doctor' });
      return 'The plan has its record again.';
    });
  }

  #remove(resource: Resource, { state }: StepOf<'remove'>): Promise<string> {
    const context = contextOf(state);
    if (context === null) return Promise.resolve(NOTHING);
    const parsed = parsePlanId(context.planId);
    return this.#records.withLock(parsed, async () => {
      const plan = await this.#records.find(parsed);
      if (plan?.sandbox.sandboxId === state.sandboxId && hasUseForSandbox(plan)) return NOTHING;
      await this.#records.assertIdle(parsed);
      // rolled back: nobody will apply it, and what it holds is worth keeping
      const { sandboxId } = state;
      const over: SandboxState = { status: 'rolled_back', sandboxId, context, rescueRefs: [] };
      const factory = this.#sandboxes.factoryFor(resource);
      const { rescuedTo } = await factory.reopen(placeOf(resource), over).cleanup();
      if (plan !== null && rescuedTo !== null)
        await this.#records.note(
          { ...plan, rescueRefs: [...new Set([...plan.rescueRefs, rescuedTo])] },
          { kind: 'recovered', detail: 'An old sandbox of the plan was removed', data: { rescuedTo } },
        );
      return said('The sandbox is removed.', rescuedTo);
    });
  }

  async #isThere(resource: Resource, sandboxId: string): Promise<boolean> {
    const { traces } = await this.#sandboxes.factoryFor(resource).inspect(resource.path, []);
    return traces.some((trace) => trace.sandboxId === sandboxId && trace.condition === 'whole');
  }
}

function contextOf(state: SandboxState): SandboxContext | null {
  return state.status === 'pending' ? null : state.context;
}

function said(done: string, rescuedTo: string | null): string {
  return rescuedTo === null ? done : `${done} Its work is kept for ${RESCUE_DAYS} days as ${rescuedTo}.`;
}
