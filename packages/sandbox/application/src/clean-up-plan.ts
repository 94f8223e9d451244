import type { PlanRecord } from '@cleveragents/sandbox-domain';
import type { CallOptions, CleanupResult, Sandbox } from '@cleveragents/sandbox-ports';
import { noteCleanup } from './apply-plan.ts';
import type { PlanRecords } from './plan-records.ts';

/** Removes the plan's sandbox and writes that down. The caller holds the plan's lock, and has seen that nobody works there. */
export async function cleanUpPlan(
  records: PlanRecords,
  sandbox: Sandbox,
  plan: PlanRecord,
  options?: CallOptions,
): Promise<CleanupResult> {
  const before = sandbox.state;
  const result = await sandbox.cleanup(options);
  const data = { rescuedTo: result.rescuedTo };
  if (before.status === 'committed') await noteCleanup(records, plan, before, data);
  else if (before.status !== 'cleaned_up')
    await records.advance(plan, sandbox.state, { kind: 'cleaned_up', detail: 'Sandbox removed', data });
  return result;
}
