import { lstatSync } from 'node:fs';
import type { Checkpoint } from '@cleveragents/checkpoint-domain';
import { baseCommitOf, type PlanRecord } from '@cleveragents/sandbox-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { CliError } from '../cli.errors.ts';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { withProgress } from '../progress.ts';
import { renderPlan } from '../render/plans.ts';
import type { Terminal } from '../terminal.ts';
import { findCheckpoint } from './checkpoint.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { aboutPlan } from './plan-failure.ts';

export interface RestoreOptions extends CommonOptions {
  readonly from?: string;
  readonly checkpoint?: string;
}

/**
 * `plan restore`: a new sandbox with the work that was kept when the old one was cleaned up; or, where the old one was lost to a
 * cleaner or a reboot, with the files of a checkpoint, the newest unless one is named.
 */
export async function restorePlan(terminal: Terminal, id: string, options: RestoreOptions): Promise<Outcome> {
  const { from, checkpoint } = options;
  if (from !== undefined && checkpoint !== undefined)
    throw new CliError(
      'CLI_USAGE',
      'Work can be restored --from what was kept or from a --checkpoint, not both',
    );
  const bench = await openWorkbench(options);
  return aboutPlan(id, async () => {
    const plan = await bench.plans.show(id);
    const target = await checkpointToRestore(bench, plan, options);
    if (target !== null) return restoreCheckpoint(terminal, bench, plan, target);
    const ref = from === undefined ? {} : { ref: from };
    const restored = await withProgress(terminal, 'Restoring', (callbacks) =>
      bench.plans.restore(id, { ...callbacks, ...ref }),
    );
    return { json: { plan: restored, checkpoint: null }, text: renderPlan(terminal, restored) };
  });
}

/** `null`: what was kept at a clean-up is what is wanted, or all that there can be. */
async function checkpointToRestore(
  bench: Workbench,
  plan: PlanRecord,
  { from, checkpoint }: RestoreOptions,
): Promise<Checkpoint | null> {
  if (from !== undefined) return null;
  if (checkpoint !== undefined) return checkpointOf(bench, plan, checkpoint);
  const isWanted = isLost(plan) || (hasNoSandbox(plan) && plan.status !== 'applied');
  if (!isWanted) return null;
  const isKept = hasNoSandbox(plan) && (await bench.plans.listRescued(plan.planId)).length > 0;
  return isKept ? null : bench.checkpoints.latestRestorable(plan.planId);
}

async function checkpointOf(bench: Workbench, { planId }: PlanRecord, id: string): Promise<Checkpoint> {
  const checkpoint = await findCheckpoint(bench, id);
  if (checkpoint.planId === planId) return checkpoint;
  throw new CliError('CLI_USAGE', `Checkpoint ${checkpoint.checkpointId} is of another plan`, {
    hint: `See \`cleveragents checkpoint list\` for those of this one.`,
    data: { planId, checkpointId: checkpoint.checkpointId, ofPlan: checkpoint.planId },
  });
}

/** A sandbox of the base that the lost one had, then what the checkpoint holds: so an apply sees the changes of the plan alone. */
async function restoreCheckpoint(
  terminal: Terminal,
  { plans, checkpoints }: Workbench,
  plan: PlanRecord,
  { checkpointId }: Checkpoint,
): Promise<Outcome> {
  const { planId } = plan;
  const ref = baseCommitOf(plan);
  if (ref === null)
    throw new CliError('CLI_USAGE', 'What the sandbox of this plan began with is not known any more', {
      hint: `Make a sandbox of the project as it is with \`plan create\`; \`cleveragents checkpoint rollback ${checkpointId}\` then brings the files back.`,
      data: { planId, checkpointId },
    });
  return withProgress(terminal, 'Restoring', async (callbacks) => {
    // What a cleaner took has to be let go of first; there are no files left that this could remove.
    if (isLost(plan)) await plans.cleanup(planId, callbacks);
    const restored = await plans.restore(planId, { ...callbacks, ref });
    const reason = `before the files of ${checkpointId} were restored`;
    await checkpoints.rollbackToCheckpoint(planId, checkpointId, { reason });
    const text = `${renderPlan(terminal, restored)}Its files are those of checkpoint ${checkpointId}.\n`;
    return { json: { plan: restored, checkpoint: checkpointId }, text };
  });
}

function hasNoSandbox({ sandbox }: PlanRecord): boolean {
  return sandbox.status === 'cleaned_up';
}

/** The plan has a sandbox, and where it should be there is nothing. Whatever keeps us from looking is no proof. */
function isLost({ sandbox }: PlanRecord): boolean {
  if (sandbox.status !== 'created' && sandbox.status !== 'active') return false;
  try {
    lstatSync(sandbox.context.sandboxPath);
    return false;
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}
