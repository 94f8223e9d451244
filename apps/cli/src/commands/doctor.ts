import type { DoctorReport } from '@cleveragents/sandbox-application';
import type { Finding } from '@cleveragents/sandbox-domain';
import { openDoctor } from '../composition-root.ts';
import { ExitCode } from '../exit-codes.ts';
import { withProgress } from '../progress.ts';
import { renderDoctor } from '../render/doctor.ts';
import { commandLine } from '../render/shell.ts';
import type { Terminal } from '../terminal.ts';
import type { CommonOptions, Outcome } from './command-action.ts';

export interface DoctorOptions extends CommonOptions {
  readonly fix: boolean;
  readonly storeBudget: number;
}

const MEBIBYTE = 1024 * 1024;

/** `doctor`: what is wrong with a project, and with `--fix` what was done about it. */
export async function examineProject(terminal: Terminal, options: DoctorOptions): Promise<Outcome> {
  const storeBudgetBytes = Math.round(options.storeBudget * MEBIBYTE);
  const { project, doctor } = await openDoctor({ ...options, storeBudgetBytes });
  const report = await withProgress(
    terminal,
    options.fix ? 'Repairing' : 'Examining',
    async (): Promise<DoctorReport> =>
      options.fix
        ? doctor.repair(project.resource)
        : { ...(await doctor.examine(project.resource)), repairs: [] },
  );
  const isHealthy = report.findings.every(({ severity }) => severity === 'note');
  return {
    json: jsonOf(project.resource.path, report, isHealthy),
    text: renderDoctor(terminal, report, options),
    exitCode: isHealthy ? ExitCode.DONE : ExitCode.REFUSED,
  };
}

function jsonOf(
  project: string,
  { findings, repairs, kept }: DoctorReport,
  healthy: boolean,
): Readonly<Record<string, unknown>> {
  return {
    project,
    healthy,
    findings: findings.map(findingOf),
    repairs: repairs.map(({ finding, outcome, detail }) => ({ ...findingOf(finding), outcome, detail })),
    kept,
  };
}

/** How a repair is carried out is nobody's business but ours. */
function findingOf({ repair, ...finding }: Finding): Readonly<Record<string, unknown>> {
  const command = repair.by === 'you' && repair.command !== null ? commandLine(repair.command) : null;
  return { ...finding, repair: { by: repair.by, does: repair.does, command } };
}
