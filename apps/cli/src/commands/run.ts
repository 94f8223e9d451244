import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxChanges } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { type CommandOutcome, runCommand } from '../child-process.ts';
import { CliError } from '../cli.errors.ts';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { exitCodeFor } from '../exit-codes.ts';
import { withProgress } from '../progress.ts';
import { errorObject, renderError, withCompleteHint } from '../render/errors.ts';
import { renderFiles } from '../render/file-list.ts';
import { renderApplied, warnOfDrift } from '../render/panels.ts';
import { planCommand, type PlanPlace, renderRescue, shellWord } from '../render/shell.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { releaseForgotten } from './checkpoint-release.ts';
import type { CommonOptions, Outcome } from './command-action.ts';
import { betweenCheckpoints, type CommandCheckpoints } from './command-checkpoints.ts';
import { askDecision, type Decision } from './decision.ts';
import { makeSandbox, runSetup, sandboxEnvironment, type SandboxOptions } from './sandbox-options.ts';
import { applySettled } from './settled-apply.ts';

export interface RunOptions extends CommonOptions, SandboxOptions {
  readonly plan?: string;
  readonly apply: boolean;
  readonly keep: boolean;
  readonly discard: boolean;
  readonly message?: string;
  readonly into?: string;
  readonly checkpoints: boolean;
  readonly allowMassDeletion: boolean;
}

/** The main job: a sandbox, a command in it, what it changed, and what is to become of that. */
export async function run(
  terminal: Terminal,
  argv: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  assertOneDecision(options);
  const bench = await openWorkbench(options);
  const planId = options.plan ?? `run-${bench.ids.next()}`;
  const { place } = bench.project;
  await makeSandbox(terminal, bench, planId, options);
  const session: Session = { terminal, bench, planId, options };
  const progress: Progress = { outcome: null, changes: null, checkpoints: null };
  try {
    await runSetup(bench, planId, options.setup, options.json);
    const { outcome, checkpoints } = await betweenCheckpoints(terminal, bench, {
      planId,
      label: argv.join(' '),
      isWanted: options.checkpoints,
      run: async () => {
        progress.outcome = await runInSandbox(bench, { planId, argv, place, outputToError: options.json });
        return progress.outcome;
      },
    });
    progress.checkpoints = checkpoints;
    progress.changes = await withProgress(terminal, 'Looking for changes', (callbacks) =>
      bench.plans.changes(planId, callbacks),
    );
    if (!options.json) terminal.out(`\n${renderFiles(terminal, progress.changes.files)}`);
    const decision = await decide(terminal, options, outcome, progress.changes);
    const { exitCode, signal } = outcome;
    const facts = { planId, commandExitCode: exitCode, signal, changes: progress.changes, checkpoints };
    return await carryOut(session, facts, decision);
  } catch (error) {
    if (hasCode(error, 'CLI_COMMAND_NOT_STARTED'))
      await bench.plans.cleanup(planId); // it did nothing
    else return keptAfter(error, session, progress);
    throw error;
  }
}

interface Session {
  readonly terminal: Terminal;
  readonly bench: Workbench;
  readonly planId: string;
  readonly options: RunOptions;
}

/** How far a run came. */
interface Progress {
  outcome: CommandOutcome | null;
  changes: SandboxChanges | null;
  checkpoints: CommandCheckpoints | null;
}

/** Whatever was refused or failed once there is a sandbox: it is kept, and the caller is told where. */
async function keptAfter(
  reason: unknown,
  { terminal, bench, planId, options }: Session,
  { outcome, changes, checkpoints }: Progress,
): Promise<Outcome> {
  const place = { planId, project: options.project };
  const error = withCompleteHint(reason, place);
  const commandExitCode = outcome?.exitCode ?? null;
  const exitCode = commandExitCode === null || commandExitCode === 0 ? exitCodeFor(error) : commandExitCode;
  if (!options.json || options.debug) terminal.error(renderError(terminal, error, options.debug));
  const sandboxPath = await bench.plans.sandboxPath(planId);
  const ran = { planId, commandExitCode, signal: outcome?.signal ?? null, changes, checkpoints };
  return {
    json: { ...ran, decision: 'kept', sandboxPath, apply: null, error: errorObject(error), exitCode },
    text: sandboxPath !== null && existsSync(sandboxPath) ? keptText(terminal, place, sandboxPath, 0) : '',
    exitCode,
  };
}

function assertOneDecision({ apply, keep, discard }: RunOptions): void {
  if ([apply, keep, discard].filter(Boolean).length < 2) return;
  throw new CliError('CLI_USAGE', 'Give at most one of --apply, --keep and --discard');
}

export interface SandboxCommand {
  readonly planId: string;
  readonly argv: readonly string[];
  /** Folder to run in, relative to the sandbox. */
  readonly place: string;
  readonly outputToError: boolean;
}

/** Runs a command in a plan's sandbox and writes that down in the plan's history. */
export function runInSandbox(
  { plans }: Workbench,
  { planId, argv, place, outputToError }: SandboxCommand,
): Promise<CommandOutcome> {
  return plans.execute(planId, {
    label: argv.join(' '),
    run: ({ path }) => {
      const inPlace = join(path, place);
      const cwd = existsSync(inPlace) ? inPlace : path; // an untracked folder of the project is not in the sandbox
      return runCommand({ argv, cwd, environment: sandboxEnvironment(planId, path), outputToError });
    },
    describe: ({ exitCode, signal }) => ({ argv, exitCode, signal }),
  });
}

async function decide(
  terminal: Terminal,
  options: RunOptions,
  { exitCode }: CommandOutcome,
  { files }: SandboxChanges,
): Promise<Decision> {
  if (options.discard) return 'discard';
  if (exitCode !== 0 || options.keep) return 'keep';
  if (options.apply) return 'apply';
  if (files.length === 0) return 'discard';
  return terminal.isInteractive && !options.json ? askDecision(terminal) : 'keep';
}

/** What is told of a run, whatever becomes of it. */
interface RunFacts {
  readonly planId: string;
  readonly commandExitCode: number;
  readonly signal: NodeJS.Signals | null;
  readonly changes: SandboxChanges;
  readonly checkpoints: CommandCheckpoints;
}

async function carryOut(
  { terminal, bench, planId, options }: Session,
  json: RunFacts,
  decision: Decision,
): Promise<Outcome> {
  const exitCode = json.commandExitCode;
  switch (decision) {
    case 'keep': {
      const sandboxPath = await bench.plans.sandboxPath(planId);
      const text = keptText(terminal, { planId, project: options.project }, sandboxPath, exitCode);
      return { json: { ...json, decision: 'kept', sandboxPath, apply: null }, text, exitCode };
    }
    case 'discard': {
      const { rescuedTo } = await withProgress(terminal, 'Removing the sandbox', (callbacks) =>
        bench.plans.cleanup(planId, callbacks),
      );
      const kept = renderRescue(rescuedTo, { planId, project: options.project });
      const text = rescuedTo === null ? 'Sandbox removed.\n' : `Discarded.${kept}\n`;
      return { json: { ...json, decision: 'discarded', rescuedTo, apply: null }, text, exitCode };
    }
    case 'apply': {
      const { message, into: targetBranch, allowMassDeletion } = options;
      const commit = { message, targetBranch, allowMassDeletion };
      const summary = await withProgress(terminal, 'Applying', (callbacks) =>
        applySettled(bench, planId, { ...commit, ...callbacks }),
      );
      await releaseForgotten(terminal, bench);
      warnOfDrift(terminal, summary);
      const text = renderApplied(terminal, summary);
      return { json: { ...json, decision: 'applied', apply: summary }, text };
    }
  }
}

function keptText(
  { colours }: Terminal,
  place: PlanPlace,
  sandboxPath: string | null,
  exitCode: number,
): string {
  const why =
    exitCode === 0 ? 'Kept' : `The command ended with exit code ${exitCode}, so nothing was applied. Kept`;
  const where = sandboxPath === null ? '' : ` in ${printable(sandboxPath)}`;
  return [
    `${why} as plan ${colours.bold(shellWord(place.planId))}${where}`,
    `  look:    ${planCommand('diff', place)}`,
    `  take:    ${planCommand('apply', place)}`,
    `  discard: ${planCommand('cleanup', place)}`,
    '',
  ].join('\n');
}
