import { type Clock, type PlanId, hasCode, messageOf, parsePlanId } from '@cleveragents/shared-kernel';
import {
  advanced,
  applySummary,
  type ApplySummary,
  assertReady,
  type CleanupSummary,
  type CommitResult,
  listed,
  newPlan,
  PlanError,
  type PlanEvent,
  type PlanEventKind,
  type PlanRecord,
  recorded,
  type Resource,
  type SandboxCall,
  type SandboxState,
  strategyFor,
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

export interface ApplyPlan extends CommitOptions {
  readonly message?: string | undefined;
  /** Leave the sandbox in place. Default: it is cleaned up, unless it holds what no commit can. */
  readonly keepSandbox?: boolean | undefined;
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
  readonly #plans: PlanRepository;
  readonly #sandboxes: readonly SandboxFactory[];
  readonly #clock: Clock;

  constructor({ plans, sandboxes, clock }: PlanLifecycleParts) {
    this.#plans = plans;
    this.#sandboxes = sandboxes;
    this.#clock = clock;
  }

  /**
   * Makes the plan and its sandbox. An id whose plan was closed or rolled back, and cleaned up, may be used again.
   * @throws PlanError `PLAN_EXISTS`. @throws SandboxCreationError; no plan is left behind then.
   */
  async create({ planId: raw, resource, ...options }: CreatePlan): Promise<PlanRecord> {
    const planId = parsePlanId(raw);
    const factory = this.#factoryFor(resource);
    return this.#plans.withPlanLock(planId, async () => {
      const before = await this.#plans.load(planId);
      if (before !== null && !isReusable(before)) throw planExists(before);
      return this.#createSandbox({ planId, resource, factory, before, options });
    });
  }

  /**
   * Runs `work` in the plan's sandbox and writes down that it did. The plan's lock is not held meanwhile; what would take the
   * sandbox away under it is refused with `PLAN_BUSY`.
   */
  async execute<T>(planId: string, work: Work<T>): Promise<T> {
    const { path, end } = await this.#withSandbox(planId, 'getPath', async (sandbox, plan) => {
      const root = await sandbox.getPath('.');
      await this.#plans.save({ ...plan, sandbox: sandbox.state });
      return { path: root, end: await this.#plans.beginWork(parsePlanId(planId), work.label) };
    });
    const record = (detail: string, data: Readonly<Record<string, unknown>>): Promise<void> =>
      this.#record(parsePlanId(planId), 'executed', detail, data);
    let outcome: T;
    try {
      outcome = await work.run({ planId, path });
    } catch (error) {
      await unlessStoreFails(record(`${work.label} failed: ${messageOf(error)}`, {}));
      throw error;
    } finally {
      await unlessStoreFails(end());
    }
    await record(work.label, work.describe?.(outcome) ?? {});
    return outcome;
  }

  /** What an apply would take. Of an applied plan: what it took. */
  async changes(planId: string, options?: CallOptions): Promise<SandboxChanges> {
    const plan = await this.show(planId);
    if (plan.sandbox.status === 'committed') return { ...plan.sandbox.result };
    return this.#readySandbox(plan, 'inspect').changes(options);
  }

  async patch(planId: string, options?: CallOptions): Promise<Uint8Array> {
    return this.#readySandbox(await this.show(planId), 'inspect').patch(options);
  }

  /** What an apply would meet, without doing it. */
  async previewApply(planId: string, options?: CommitOptions): Promise<CommitPreview> {
    return this.#readySandbox(await this.show(planId), 'commit').previewCommit(options);
  }

  /** Brings the target's new commits into the sandbox: the way out of a conflict. */
  async refresh(planId: string, options?: CallOptions): Promise<RefreshResult> {
    return this.#withSandbox(planId, 'refresh', async (sandbox, plan) => {
      const result = await sandbox.refresh(options);
      await this.#advance(plan, sandbox, 'refreshed', `Refreshed: ${result.kind}`, { base: result.base });
      return result;
    });
  }

  /**
   * Commits the sandbox into the original, then cleans it up. A clean-up that fails does not take the apply back: the
   * summary says what is left. Called again then, or after its process died in the clean-up, it finishes that.
   * @throws SandboxCommitError; nothing has changed then, and the refusal is in the plan's history.
   */
  async apply(
    planId: string,
    { message, keepSandbox = false, ...options }: ApplyPlan = {},
  ): Promise<ApplySummary> {
    return this.#withSandbox(planId, null, async (sandbox, plan) => {
      await this.#assertIdle(plan);
      const begun = applyToFinish(plan);
      if (begun !== null)
        return applySummary(
          plan,
          begun.result,
          begun.at,
          await this.#cleanUpAfterApply(sandbox, plan, options),
        );
      assertReady(plan, 'commit');
      const result = await this.#commit(sandbox, plan, message, options);
      const at = this.#clock.now();
      const cleansUp = !keepSandbox && result.omittedFiles.length === 0;
      const applied = await this.#advance(plan, sandbox, 'applied', appliedDetail(result), {
        at: at.toISOString(),
        cleansUp,
      });
      const cleanup = cleansUp ? await this.#cleanUpAfterApply(sandbox, applied, options) : null;
      return applySummary(plan, result, at, cleanup);
    });
  }

  /** From open: the sandbox returns to its base. From applied: the original too. */
  async rollback(planId: string, options?: RollbackOptions): Promise<RollbackResult> {
    return this.#withSandbox(planId, 'rollback', async (sandbox, plan) => {
      await this.#assertIdle(plan);
      const result = await sandbox.rollback(options);
      const detail = result.targetRef === null ? 'Sandbox returned to its base' : 'Apply undone';
      await this.#advance(plan, sandbox, 'rolled_back', detail, { ...result });
      return result;
    });
  }

  /** Removes the sandbox. The record stays. */
  async cleanup(planId: string, options?: CallOptions): Promise<CleanupResult> {
    const parsed = parsePlanId(planId);
    return this.#plans.withPlanLock(parsed, async () => {
      const plan = await this.#load(parsed);
      await this.#assertIdle(plan);
      const sandbox = this.#sandboxOf(plan);
      const before = sandbox.state;
      const result = await sandbox.cleanup(options);
      const data = { rescuedTo: result.rescuedTo };
      if (before.status === 'committed') await this.#recordCleanup(plan, before, data);
      else if (before.status !== 'cleaned_up')
        await this.#advance(plan, sandbox, 'cleaned_up', 'Sandbox removed', data);
      return result;
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
    return this.#plans.withPlanLock(parsed, async () => {
      const before = await this.#load(parsed);
      if (!hasNoSandbox(before)) throw planExists(before);
      const factory = this.#factoryFor(before.resource);
      const content = ref ?? (await factory.listRescued(before.resource.path, parsed))[0]?.ref;
      const base = baseOf(before.sandbox);
      if (content === undefined || base === null) throw nothingRescued(planId);
      const request = { planId: parsed, resource: before.resource, factory, before };
      return this.#createSandbox({ ...request, options: { ...options, startFrom: { content, base } } });
    });
  }

  /** @throws PlanError `PLAN_NOT_FOUND`. */
  async show(planId: string): Promise<PlanRecord> {
    return this.#load(parsePlanId(planId));
  }

  async list(): Promise<PlanListing> {
    return this.#plans.list();
  }

  async listRescued(planId: string): Promise<readonly RescuedWork[]> {
    const plan = await this.show(planId);
    return this.#factoryFor(plan.resource).listRescued(plan.resource.path, parsePlanId(planId));
  }

  /** Finishes or undoes what dead processes left half-done in a resource, and says what. */
  async recover(resource: Resource): Promise<readonly string[]> {
    return this.#factoryFor(resource).recover(resource.path);
  }

  async isApplied(planId: string): Promise<boolean> {
    return (await this.#plans.load(parsePlanId(planId)))?.status === 'applied';
  }

  /** Root of the plan's sandbox; null when the plan is unknown or its sandbox is not there for work. */
  async sandboxPath(planId: string): Promise<string | null> {
    const plan = await this.#plans.load(parsePlanId(planId));
    if (plan === null || (plan.sandbox.status !== 'created' && plan.sandbox.status !== 'active')) return null;
    return plan.sandbox.context.sandboxPath;
  }

  async #createSandbox(request: {
    readonly planId: PlanId;
    readonly resource: Resource;
    readonly factory: SandboxFactory;
    readonly before: PlanRecord | null;
    readonly options: CreateOptions;
  }): Promise<PlanRecord> {
    const { planId, resource, factory, before, options } = request;
    const place = { resourceId: resource.resourceId, originalPath: resource.path };
    // A crash after this line leaves a pending plan; creating it again takes up the same sandbox id and starts over.
    const sandbox =
      before?.sandbox.status === 'pending' ? factory.reopen(place, before.sandbox) : factory.make(place);
    const pending = before ?? newPlan(planId, resource, sandbox.state, this.#clock.now());
    await this.#plans.save({ ...pending, resource, sandbox: sandbox.state, status: 'open' });
    try {
      await sandbox.create(planId, options);
    } catch (error) {
      // of what is left behind the pending plan knows: the next creation or clean-up removes it
      if (isUndone(error))
        await unlessStoreFails(
          before === null || before.sandbox.status === 'pending'
            ? this.#plans.delete(planId)
            : this.#plans.save(before),
        );
      throw error;
    }
    const kind = options.startFrom === undefined ? 'created' : 'restored';
    return this.#advance({ ...pending, resource }, sandbox, kind, `Sandbox ${kind}`, {
      sandboxId: sandbox.sandboxId,
    });
  }

  async #commit(
    sandbox: Sandbox,
    plan: PlanRecord,
    message: string | undefined,
    options: CommitOptions,
  ): Promise<CommitResult> {
    try {
      return await sandbox.commit(message, options);
    } catch (error) {
      const code =
        typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'UNKNOWN';
      const refused = recorded(plan, this.#event('apply_refused', messageOf(error), { code }));
      await unlessStoreFails(this.#plans.save(refused));
      throw error;
    }
  }

  async #cleanUpAfterApply(
    sandbox: Sandbox,
    plan: PlanRecord,
    options: CallOptions,
  ): Promise<CleanupSummary> {
    const applied = sandbox.state;
    try {
      const result = await sandbox.cleanup(options);
      await unlessStoreFails(this.#recordCleanup(plan, applied, {}));
      return result;
    } catch (error) {
      if (
        !hasCode(
          error,
          'SANDBOX_CLEANUP_FAILED',
          'SANDBOX_BROKEN',
          'SANDBOX_LOCKED',
          'SANDBOX_TIMEOUT',
          'SANDBOX_ABORTED',
          'SANDBOX_RECOVERY_BLOCKED',
        )
      )
        throw error;
      const leftOver = [{ path: sandbox.context?.sandboxPath ?? '', reason: messageOf(error) }];
      return { worktreeRemoved: false, branchDeleted: false, rescuedTo: null, leftOver };
    }
  }

  /** The record keeps the applied state, which an undo needs; the sandbox being gone is an event. */
  async #recordCleanup(
    plan: PlanRecord,
    applied: SandboxState,
    data: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const event = this.#event('cleaned_up', 'Sandbox removed', data);
    await this.#plans.save(recorded({ ...plan, sandbox: applied }, event));
  }

  async #withSandbox<T>(
    planId: string,
    call: SandboxCall | null,
    work: (sandbox: Sandbox, plan: PlanRecord) => Promise<T>,
  ): Promise<T> {
    const parsed = parsePlanId(planId);
    return this.#plans.withPlanLock(parsed, async () => {
      const plan = await this.#load(parsed);
      if (call !== null) assertReady(plan, call);
      return work(this.#sandboxOf(plan), plan);
    });
  }

  /** @throws PlanError `PLAN_BUSY`. */
  async #assertIdle({ planId }: PlanRecord): Promise<void> {
    const work = await this.#plans.listWork(parsePlanId(planId));
    if (work.length > 0) throw planBusy(planId, work);
  }

  /** @throws PlanError `PLAN_WITHOUT_SANDBOX`. @throws SandboxStateError. */
  #readySandbox(plan: PlanRecord, call: SandboxCall): Sandbox {
    assertReady(plan, call);
    return this.#sandboxOf(plan);
  }

  #sandboxOf({ resource, sandbox }: PlanRecord): Sandbox {
    return this.#factoryFor(resource).reopen(
      { resourceId: resource.resourceId, originalPath: resource.path },
      sandbox,
    );
  }

  #factoryFor({ type }: Resource): SandboxFactory {
    const strategy = strategyFor(type);
    const factory = this.#sandboxes.find((each) => each.strategy === strategy);
    if (factory !== undefined) return factory;
    throw new PlanError(
      'PLAN_STRATEGY_MISSING',
      `No sandbox of strategy ${strategy} is available for ${type} resources`,
      {
        hint: 'Use a git repository with at least one commit (`git init && git add -A && git commit`).',
        data: { strategy, type },
      },
    );
  }

  async #load(planId: PlanId): Promise<PlanRecord> {
    const plan = await this.#plans.load(planId);
    if (plan !== null) return plan;
    throw new PlanError('PLAN_NOT_FOUND', `There is no plan ${JSON.stringify(planId)} here`, {
      hint: 'See `cleveragents plan list`.',
      data: { planId },
    });
  }

  async #advance(
    plan: PlanRecord,
    sandbox: Sandbox,
    kind: PlanEventKind,
    detail: string,
    data: Readonly<Record<string, unknown>>,
  ): Promise<PlanRecord> {
    const next = advanced(plan, sandbox.state, this.#event(kind, detail, data));
    await this.#plans.save(next);
    return next;
  }

  async #record(
    planId: PlanId,
    kind: PlanEventKind,
    detail: string,
    data: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#plans.withPlanLock(planId, async () => {
      await this.#plans.save(recorded(await this.#load(planId), this.#event(kind, detail, data)));
    });
  }

  #event(kind: PlanEventKind, detail: string, data: Readonly<Record<string, unknown>>): PlanEvent {
    return { at: this.#clock.now().toISOString(), kind, detail, data: { ...data } };
  }
}

/** For what is written down when something failed already: that failure is what the caller must hear of. */
async function unlessStoreFails(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!hasCode(error, 'PLAN_STORE_FAILED')) throw error;
  }
}

/** False when a call could not take back what it had begun. */
function isUndone(error: unknown): boolean {
  return (error as { data?: { undone?: unknown } } | null)?.data?.undone !== false;
}

/** An apply that is done but for the clean-up of its sandbox; null when there is none. */
function applyToFinish({ sandbox, history }: PlanRecord): { result: CommitResult; at: Date } | null {
  const last = history.at(-1);
  if (sandbox.status !== 'committed' || last?.kind !== 'applied' || last.data?.['cleansUp'] !== true)
    return null;
  return { result: sandbox.result, at: new Date(String(last.data['at'])) };
}

function hasNoSandbox({ sandbox }: PlanRecord): boolean {
  return sandbox.status === 'pending' || sandbox.status === 'cleaned_up';
}

function isReusable(plan: PlanRecord): boolean {
  return hasNoSandbox(plan) && plan.status !== 'applied';
}

function planBusy(planId: string, work: readonly string[]): PlanError {
  return new PlanError('PLAN_BUSY', `Work still goes on in plan ${JSON.stringify(planId)}: ${listed(work)}`, {
    hint: 'Wait until it is done, or end it, then try again.',
    data: { planId, work },
  });
}

function planExists({ planId, status }: PlanRecord): PlanError {
  return new PlanError(
    'PLAN_EXISTS',
    `There is a plan ${JSON.stringify(planId)} already, and it is ${status.replace('_', ' ')}`,
    {
      hint: 'Continue with it, clean it up first (`cleveragents plan cleanup`), or choose another id.',
      data: { planId, status },
    },
  );
}

function nothingRescued(planId: string): PlanError {
  return new PlanError('PLAN_NOTHING_RESCUED', `No work of plan ${JSON.stringify(planId)} is kept`, {
    hint: 'See `cleveragents plan list --rescued`.',
    data: { planId },
  });
}

function baseOf(sandbox: SandboxState): string | null {
  if (sandbox.status === 'pending' || sandbox.context === null) return null;
  const { metadata } = sandbox.context;
  return metadata.strategy === 'git_worktree' ? metadata.baseCommit : null;
}

function appliedDetail({ files, targetBranch }: CommitResult): string {
  if (files.length === 0) return 'Applied: nothing had changed';
  return `Applied ${files.length} file${files.length === 1 ? '' : 's'}${targetBranch === null ? '' : ` to ${targetBranch}`}`;
}
