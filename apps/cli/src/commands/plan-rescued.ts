import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import type { RescuedWork } from '@cleveragents/sandbox-ports';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { warnOfUnreadable } from './plan-list.ts';

/** The work that was saved before its sandbox went, plan by plan. */
export async function listRescued(terminal: Terminal, options: CommonOptions): Promise<Outcome> {
  const bench = await openWorkbench(options);
  const { plans, unreadable } = await bench.plans.list();
  warnOfUnreadable(terminal, unreadable);
  const rescued = await Promise.all(
    plans.map(async ({ planId }) => ({ planId, work: await rescuedOf(planId, bench, terminal) })),
  );
  const kept = rescued.filter(({ work }) => work.length > 0);
  const lines = kept.flatMap(({ planId, work }) =>
    work.map(({ ref, at, commit }) => `${printable(planId)}  ${at}  ${commit.slice(0, 10)}  ${ref}\n`),
  );
  return { json: { rescued: kept }, text: lines.length === 0 ? 'Nothing is kept.\n' : lines.join('') };
}

/** A plan whose project was moved away hides the work of no other. */
async function rescuedOf(
  planId: string,
  { plans }: Workbench,
  terminal: Terminal,
): Promise<readonly RescuedWork[]> {
  try {
    return await plans.listRescued(planId);
  } catch (error) {
    if (!hasCode(error, 'SANDBOX_SOURCE_MISSING')) throw error;
    terminal.error(`warning: ${printable(planId)}: ${printable(messageOf(error))}\n`);
    return [];
  }
}
