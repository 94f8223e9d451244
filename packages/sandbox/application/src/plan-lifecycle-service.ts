import { type Clock, messageOf, parsePlanId } from '@cleveragents/shared-kernel';
import {
  type ApplySummary,
  assertReady,
  assertRestorable,
  assertReusable,
  baseCommitOf,
  PlanError,
  type PlanRecord,
  type Resource,
  type SandboxCall,
} from '@cleveragents/sandbox-domain';
import type {
  CallOptions,
  CleanupResult,
  CommitOptions,
  CommitPreview,
  CreateOptions,
  PlanListing,
  PlanRepository,
  RefreshResult,
  RescuedWork,
  RollbackOptions,
  RollbackResult,
  Sandbox,
  SandboxChanges,
  SandboxFactory,
} from '@cleveragents/sandbox-ports';
import { applyPlan, type ApplyPlan } from './apply-plan.ts';
import { cleanUpPlan } from './clean-up-plan.ts';
import { createSandbox } from './create-sandbox.ts';
import { PlanRecords, unlessStoreFails } from './plan-records.ts';
import { PlanSandboxes } from './plan-sandboxes.ts';

export interface PlanLifecycleParts {
  readonly plans: PlanRepository;
  /** One for each strategy. */
  readonly sandboxes: readonly SandboxFactory[];
  readonly clock: Clock;
}

export interface CreatePlan extends CreateOptions {
  readonly planId: string;
  readonly resource: Resource;
}

/** Where work on a plan happens. */
export interface WorkPlace {
  readonly planId: string;
  /** Root of the sandbox. */
  readonly path: string;
}

export interface Work<T> {
  /** One line for the plan's history: the command, the tool. */
  readonly label: string;
  readonly run: (place: WorkPlace) => Promise<T>;
  /** What the history keeps of the outcome. JSON values only. */
  readonly describe?: ((outcome: T) => Readonly<Record<string, unknown>>) | undefined;
}

/**
 * Plans from creation to apply and undo: which sandbox a plan has, what was done in it, what became of it. A plan
 * outlives its process; calls on one plan are kept apart by its lock, calls on different plans are not.
 *
 * By structure it is the checkpoint context's `PlanStateGuard`.
 */
export class PlanLifecycleService {
  readonly #records: PlanRecords;
  readonly #sandboxes: PlanSandboxes;

  constructor({ plans, sandboxes, clock }: PlanLifecycleParts) {
    this.#records = new PlanRecords(plans, clock);
    this.#sandboxes = new PlanSandboxes(sandboxes);
  }

  /**
   * Makes the plan and its sandbox. An id whose plan was closed or rolled back, and cleaned up, may be used again.
   * @throws PlanError `PLAN_EXISTS`. @throws SandboxCreationError; no plan is left behind then.
   */
  async create({ planId: raw, resource, ...options }: CreatePlan): Promise<PlanRecord> {
    const planId = parsePlanId(raw);
    const factory = this.#sandboxes.factoryFor(resource);
    return this.#records.withLock(planId, async () => {
      const before = await this.#records.find(planId);
      if (before !== null) assertReusable(before);
      return createSandbox(this.#records, { planId, resource, factory, before, options });
    });
  }

  /**
   * Runs `work` in the plan's sandbox and writes down that it did. The plan's lock is not held meanwhile; what would take the
   * sandbox away under it is refused with `PLAN_BUSY`.
   */
  async execute<T>(planId: string, work: Work<T>): Promise<T> {
    const { path, end } = await this.#withSandbox(planId, 'getPath', async (sandbox, plan) => {
      const root = await sandbox.getPath('.');
      await this.#records.save({ ...plan, sandbox: sandbox.state });
      return { path: root, end: await this.#records.beginWork(parsePlanId(planId), work.label) };
    });
    let outcome: T;
    try {
      outcome = await work.run({ planId, path });
    } catch (error) {
      await unlessStoreFails(this.#noteWork(planId, `${work.label} failed: ${messageOf(error)}`, {}));
      throw error;
    } finally {
      await unlessStoreFails(end());
    }
    await this.#noteWork(planId, work.label, work.describe?.(outcome) ?? {});
    return outcome;
  }

  /** What an apply would take. Of an applied plan: what it took. */
  async changes(planId: string, options?: CallOptions): Promise<SandboxChanges> {
    const plan = await this.show(planId);
    if (plan.sandbox.status === 'committed') return { ...plan.sandbox.result };
    return this.#sandboxes.ready(plan, 'inspect').changes(options);
  }

  async patch(planId: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#sandboxes.ready(await this.show(planId), 'inspect').patch(options);
  }

  /** What an apply would meet, without doing it. */
  async previewApply(planId: string, options?: CommitOptions): Promise<CommitPreview> {
    return this.#sandboxes.ready(await this.show(planId), 'commit').previewCommit(options);
  }

  /** Brings the target's new commits into the sandbox: the way out of a conflict. */
  async refresh(planId: string, options?: CallOptions): Promise<RefreshResult> {
    return this.#withSandbox(planId, 'refresh', async (sandbox, plan) => {
      const result = await sandbox.refresh(options);
      await this.#records.advance(plan, sandbox.state, {
        kind: 'refreshed',
        detail: `Refreshed: ${result.kind}`,
        data: { base: result.base },
      });
      return result;
    });
  }

  /**
   * Commits the sandbox into the original, then cleans it up. A clean-up that fails does not take the apply back: the
   * summary says what is left. Called again then, or after its process died in the clean-up, it finishes that.
   * @throws SandboxCommitError; nothing has changed then, and the refusal is in the plan's history.
   */
  async apply(planId: string, options: ApplyPlan = {}): Promise<ApplySummary> {
    return this.#withSandbox(planId, null, async (sandbox, plan) => {
      await this.#records.assertIdle(parsePlanId(planId));
      return applyPlan(this.#records, sandbox, plan, options);
    });
  }

  /** From open: the sandbox returns to its base. From applied: the original too. */
  async rollback(planId: string, options?: RollbackOptions): Promise<RollbackResult> {
    return this.#withSandbox(planId, 'rollback', async (sandbox, plan) => {
      await this.#records.assertIdle(parsePlanId(planId));
      const result = await sandbox.rollback(options);
      const detail = result.targetRef === null ? 'Sandbox returned to its base' : 'Apply undone';
      await this.#records.advance(plan, sandbox.state, { kind: 'rolled_back', detail, data: { ...result } });
      return result;
    });
  }

  /** Removes the sandbox. The record stays. */
  async cleanup(planId: string, options?: CallOptions): Promise<CleanupResult> {
    return this.#withSandbox(planId, null, async (sandbox, plan) => {
      await this.#records.assertIdle(parsePlanId(planId));
      return cleanUpPlan(this.#records, sandbox, plan, options);
    });
  }

  /**
   * Gives a plan whose sandbox is gone a new one that begins with the work that was rescued.
   * @param ref which rescued work; the newest when it is left out.
   * @throws PlanError `PLAN_NOTHING_RESCUED`.
   */
  async restore(
    planId: string,
    { ref, ...options }: CallOptions & { readonly ref?: string } = {},
  ): Promise<PlanRecord> {
    const parsed = parsePlanId(planId);
    return this.#records.withLock(parsed, async () => {
      const before = await this.#records.load(parsed);
      assertRestorable(before);
      const factory = this.#sandboxes.factoryFor(before.resource);
      const rescued = await factory.listRescued(before.resource.path, parsed);
      const work = ref === undefined ? rescued[0] : rescued.find((each) => each.ref === ref);
      const content = ref ?? work?.ref;
      const base = baseCommitOf(before) ?? work?.base ?? null;
      if (content === undefined || base === null) throw nothingRescued(planId);
      const order = { planId: parsed, resource: before.resource, factory, before };
      return createSandbox(this.#records, {
        ...order,
        options: { ...options, startFrom: { content, base } },
      });
    });
  }

  /** @throws PlanError `PLAN_NOT_FOUND`. */
  async show(planId: string): Promise<PlanRecord> {
    return this.#records.load(parsePlanId(planId));
  }

  async list(): Promise<PlanListing> {
    return this.#records.list();
  }

  async listRescued(planId: string): Promise<readonly RescuedWork[]> {
    const plan = await this.show(planId);
    return this.#sandboxes.factoryFor(plan.resource).listRescued(plan.resource.path, parsePlanId(planId));
  }

  /** Finishes or undoes what dead processes left half-done in a resource, and says what. */
  async recover(resource: Resource): Promise<readonly string[]> {
    return this.#sandboxes.factoryFor(resource).recover(resource.path);
  }

  async isApplied(planId: string): Promise<boolean> {
    return (await this.#records.find(parsePlanId(planId)))?.status === 'applied';
  }

  /** Root of the plan's sandbox; null when the plan is unknown or its sandbox is not there for work. */
  async sandboxPath(planId: string): Promise<string | null> {
    const plan = await this.#records.find(parsePlanId(planId));
    if (plan === null || (plan.sandbox.status !== 'created' && plan.sandbox.status !== 'active')) return null;
    return plan.sandbox.context.sandboxPath;
  }

  async #withSandbox<T>(
    planId: string,
    call: SandboxCall | null,
    work: (sandbox: Sandbox, plan: PlanRecord) => Promise<T>,
  ): Promise<T> {
    const parsed = parsePlanId(planId);
    return this.#records.withLock(parsed, async () => {
      const plan = await this.#records.load(parsed);
      if (call !== null) assertReady(plan, call);
      return work(this.#sandboxes.of(plan), plan);
    });
  }

  async #noteWork(planId: string, detail: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    const parsed = parsePlanId(planId);
    await this.#records.withLock(parsed, async () => {
      await this.#records.note(await this.#records.load(parsed), { kind: 'executed', detail, data });
    });
  }
}

function nothingRescued(planId: string): PlanError {
  return new PlanError('PLAN_NOTHING_RESCUED', `No work of plan ${JSON.stringify(planId)} is kept`, {
    hint: 'See `cleveragents plan list --rescued`.',
    data: { planId },
  });
}
