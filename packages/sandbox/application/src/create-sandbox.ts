import type { PlanId } from '@cleveragents/shared-kernel';
import { newPlan, type PlanRecord, type Resource } from '@cleveragents/sandbox-domain';
import type { CreateOptions, Sandbox, SandboxFactory } from '@cleveragents/sandbox-ports';
import { type PlanRecords, unlessStoreFails } from './plan-records.ts';
import { placeOf } from './plan-sandboxes.ts';

export interface SandboxOrder {
  readonly planId: PlanId;
  readonly resource: Resource;
  readonly factory: SandboxFactory;
  /** What is known of the plan; null when it is new. */
  readonly before: PlanRecord | null;
  readonly options: CreateOptions;
}

/**
 * Gives a plan a sandbox. The caller holds the plan's lock. A crash between the two records leaves a pending plan;
 * creating it again takes up the same sandbox id and starts over.
 * @throws SandboxCreationError; the record is then as it was before.
 */
export async function createSandbox(records: PlanRecords, order: SandboxOrder): Promise<PlanRecord> {
  const { planId, resource, before, options } = order;
  const sandbox = sandboxFor(order);
  const pending = before ?? newPlan(planId, resource, sandbox.state, records.now());
  await records.save({ ...pending, resource, sandbox: sandbox.state, status: 'open' });
  try {
    await sandbox.create(planId, options);
  } catch (error) {
    // of what is left behind the pending plan knows: the next creation or clean-up removes it
    if (isUndone(error)) await unlessStoreFails(takeBack(records, order));
    throw error;
  }
  const kind = options.startFrom === undefined ? 'created' : 'restored';
  return records.advance({ ...pending, resource }, sandbox.state, {
    kind,
    detail: `Sandbox ${kind}`,
    data: { sandboxId: sandbox.sandboxId },
  });
}

function sandboxFor({ resource, factory, before }: SandboxOrder): Sandbox {
  const place = placeOf(resource);
  return before?.sandbox.status === 'pending' ? factory.reopen(place, before.sandbox) : factory.make(place);
}

async function takeBack(records: PlanRecords, { planId, before }: SandboxOrder): Promise<void> {
  if (before === null || before.sandbox.status === 'pending') await records.delete(planId);
  else await records.save(before);
}

/** False when a call could not take back what it had begun. */
function isUndone(error: unknown): boolean {
  return (error as { data?: { undone?: unknown } } | null)?.data?.undone !== false;
}
