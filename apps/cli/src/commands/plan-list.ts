import { join } from 'node:path';
import { FilePlanRepository } from '@cleveragents/sandbox-adapter-fs';
import type { PlanListing } from '@cleveragents/sandbox-ports';
import { findProject, PLANS_FOLDER } from '../project.ts';
import { renderPlanTable } from '../render/plans.ts';
import { printable } from '../render/text.ts';
import { openStateFolder } from '../state-folder.ts';
import type { Terminal } from '../terminal.ts';
import type { CommonOptions, Outcome } from './command-action.ts';

export interface ListOptions extends CommonOptions {
  readonly all: boolean;
  readonly rescued: boolean;
}

/** Needs the records alone, and so neither the container nor an engine: it is the command that people type most. */
export async function listPlans(terminal: Terminal, options: ListOptions): Promise<Outcome> {
  const { dataFolder } = await findProject(options.project, openStateFolder());
  const listing = await new FilePlanRepository({ directory: join(dataFolder, PLANS_FOLDER) }).list();
  for (const { name, reason } of listing.unreadable)
    terminal.error(`warning: ${printable(name)}: ${printable(reason)}\n`);
  if (options.rescued) return listRescued(options, listing);
  const shown = options.all ? listing.plans : listing.plans.filter(({ status }) => status === 'open');
  const json = { plans: shown, unreadable: listing.unreadable };
  return { json, text: renderPlanTable(terminal, shown, listing.plans.length) };
}

async function listRescued(options: ListOptions, { plans }: PlanListing): Promise<Outcome> {
  const { openWorkbench } = await import('../composition-root.ts');
  const bench = await openWorkbench(options.project, options.timeout);
  const rescued = await Promise.all(
    plans.map(async ({ planId }) => ({ planId, work: await bench.plans.listRescued(planId) })),
  );
  const kept = rescued.filter(({ work }) => work.length > 0);
  const lines = kept.flatMap(({ planId, work }) =>
    work.map(({ ref, at, commit }) => `${printable(planId)}  ${at}  ${commit.slice(0, 10)}  ${ref}\n`),
  );
  return { json: { rescued: kept }, text: lines.length === 0 ? 'Nothing is kept.\n' : lines.join('') };
}
