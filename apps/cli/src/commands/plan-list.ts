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
}

/**
 * Needs the records alone, and so neither the container nor an engine. It is the command that people type most: the
 * bundle has a file for it alone, so what this file imports is what people wait for.
 */
export async function listPlans(terminal: Terminal, options: ListOptions): Promise<Outcome> {
  const { dataFolder } = await findProject(options.project, openStateFolder());
  const { plans, unreadable } = await new FilePlanRepository({
    directory: join(dataFolder, PLANS_FOLDER),
  }).list();
  warnOfUnreadable(terminal, unreadable);
  const shown = options.all ? plans : plans.filter(({ status }) => status === 'open');
  return { json: { plans: shown, unreadable }, text: renderPlanTable(terminal, shown, plans.length) };
}

export function warnOfUnreadable(terminal: Terminal, unreadable: PlanListing['unreadable']): void {
  for (const { name, reason } of unreadable)
    terminal.error(`warning: ${printable(name)}: ${printable(reason)}\n`);
}
