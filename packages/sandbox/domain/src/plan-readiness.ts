import { listed } from './listing.ts';
import { PlanError } from './plan.errors.ts';
import type { PlanRecord } from './plan-record.schema.ts';
import { isAllowed, type SandboxCall, statusAfter } from './life-cycle.ts';
import { SandboxStateError } from './sandbox.errors.ts';

/**
 * Refuses a call that a plan is not ready for, in the words of plans.
 * @throws PlanError `PLAN_WITHOUT_SANDBOX` when its sandbox is not made or was removed. @throws SandboxStateError.
 */
export function assertReady({ planId, sandbox }: PlanRecord, call: SandboxCall): void {
  const { status } = sandbox;
  if (isAllowed(status, call)) return;
  const name = JSON.stringify(planId);
  const data = { planId, status, call };
  switch (status) {
    case 'pending':
      throw new PlanError(
        'PLAN_WITHOUT_SANDBOX',
        `Plan ${name} has no sandbox: it is being made, or that was cut short`,
        { hint: 'Wait for it, or make it again with `cleveragents plan create`.', data },
      );
    case 'cleaned_up':
      throw new PlanError('PLAN_WITHOUT_SANDBOX', `The sandbox of plan ${name} was removed`, {
        hint: 'Give it a new one with the work that was kept: `cleveragents plan restore`.',
        data,
      });
    case 'committed':
      throw new SandboxStateError(`Plan ${name} is applied already`, {
        hint: afterApply(sandbox.result),
        data,
      });
    case 'rolled_back':
      throw new SandboxStateError(`Plan ${name} was rolled back`, {
        hint: 'To go on with its work, run `cleveragents plan cleanup`, then `cleveragents plan restore`.',
        data,
      });
    default:
      if (call !== 'rollback') statusAfter(status, call);
      throw new SandboxStateError(`Nothing was done in plan ${name} yet that could be rolled back`, {
        hint: 'Remove it with `cleveragents plan cleanup`.',
        data,
      });
  }
}

function afterApply({
  mergeRef,
  previousRef,
}: {
  readonly mergeRef: string | null;
  readonly previousRef: string | null;
}): string {
  const look =
    mergeRef === null || previousRef === null
      ? ''
      : `See what it changed with \`git diff ${previousRef.slice(0, 10)} ${mergeRef.slice(0, 10)}\`; `;
  return `${look}undo it with \`cleveragents plan rollback\`.`;
}

/** Whether a new sandbox would take the place of no other. */
export function hasNoSandbox({ sandbox }: PlanRecord): boolean {
  return sandbox.status === 'pending' || sandbox.status === 'cleaned_up';
}

/**
 * An id may be used again when its plan was closed or rolled back, and cleaned up.
 * @throws PlanError `PLAN_EXISTS`.
 */
export function assertReusable(plan: PlanRecord): void {
  if (!hasNoSandbox(plan) || plan.status === 'applied') throw planExists(plan);
}

/** @throws PlanError `PLAN_EXISTS` when the plan has a sandbox that a restored one would replace. */
export function assertRestorable(plan: PlanRecord): void {
  if (!hasNoSandbox(plan)) throw planExists(plan);
}

/**
 * @param work what still runs in the plan's sandbox, a line each.
 * @throws PlanError `PLAN_BUSY` unless that is nothing.
 */
export function assertIdle(planId: string, work: readonly string[]): void {
  if (work.length === 0) return;
  throw new PlanError('PLAN_BUSY', `Work still goes on in plan ${JSON.stringify(planId)}: ${listed(work)}`, {
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
