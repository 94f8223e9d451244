import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import {
  appliedDetail,
  type ApplyEventData,
  applySummary,
  type ApplySummary,
  applyToFinish,
  assertReady,
  type CleanupSummary,
  type CommitResult,
  type PlanRecord,
  type SandboxState,
} from '@cleveragents/sandbox-domain';
import type { CallOptions, CommitOptions, Sandbox } from '@cleveragents/sandbox-ports';
import { type PlanRecords, unlessStoreFails } from './plan-records.ts';

export interface ApplyPlan extends CommitOptions {
  readonly message?: string | undefined;
  /** Leave the sandbox in place. Default: it is cleaned up, unless it holds what no commit can. */
  readonly keepSandbox?: boolean | undefined;
}

/** What a sandbox that stays behind after an apply may be refused its removal for; anything else is a fault. */
const CLEANUP_REFUSALS = [
  'SANDBOX_CLEANUP_FAILED',
  'SANDBOX_BROKEN',
  'SANDBOX_LOCKED',
  'SANDBOX_TIMEOUT',
  'SANDBOX_ABORTED',
  'SANDBOX_RECOVERY_BLOCKED',
] as const;

/**
 * Commits the plan's sandbox into the original, then cleans it up; or finishes the clean-up of an apply that was cut
 * short in it. The caller holds the plan's lock.
 */
export async function applyPlan(
  records: PlanRecords,
  sandbox: Sandbox,
  plan: PlanRecord,
  { message, keepSandbox = false, ...options }: ApplyPlan,
): Promise<ApplySummary> {
  const begun = applyToFinish(plan);
  if (begun !== null) {
    const cleanup = await cleanUp(records, sandbox, plan, options);
    return applySummary(plan, begun.result, begun.at, cleanup);
  }
  assertReady(plan, 'commit');
  const result = await commit(records, sandbox, plan, { ...options, message });
  const at = records.now();
  const cleansUp = !keepSandbox && result.omittedFiles.length === 0;
  const data: ApplyEventData = { at: at.toISOString(), cleansUp };
  const detail = appliedDetail(result);
  const applied = await records.advance(plan, sandbox.state, { kind: 'applied', detail, data: { ...data } });
  const cleanup = cleansUp ? await cleanUp(records, sandbox, applied, options) : null;
  return applySummary(plan, result, at, cleanup);
}

/** The record keeps the applied state, which an undo needs; the sandbox being gone is an event. */
export async function noteCleanup(
  records: PlanRecords,
  plan: PlanRecord,
  applied: SandboxState,
  data: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await records.note({ ...plan, sandbox: applied }, { kind: 'cleaned_up', detail: 'Sandbox removed', data });
}

async function commit(
  records: PlanRecords,
  sandbox: Sandbox,
  plan: PlanRecord,
  { message, ...options }: CommitOptions & { readonly message: string | undefined },
): Promise<CommitResult> {
  try {
    return await sandbox.commit(message, options);
  } catch (error) {
    const code =
      typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'UNKNOWN';
    await unlessStoreFails(
      records.note(plan, { kind: 'apply_refused', detail: messageOf(error), data: { code } }),
    );
    throw error;
  }
}

async function cleanUp(
  records: PlanRecords,
  sandbox: Sandbox,
  plan: PlanRecord,
  options: CallOptions,
): Promise<CleanupSummary> {
  const applied = sandbox.state;
  try {
    const result = await sandbox.cleanup(options);
    await unlessStoreFails(noteCleanup(records, plan, applied));
    return result;
  } catch (error) {
    if (!hasCode(error, ...CLEANUP_REFUSALS)) throw error;
    const leftOver = [{ path: sandbox.context?.sandboxPath ?? '', reason: messageOf(error) }];
    return { worktreeRemoved: false, branchDeleted: false, rescuedTo: null, leftOver };
  }
}
