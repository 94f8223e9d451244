import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ApplySummary } from '@cleveragents/sandbox-domain';
import type { SandboxChanges } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { type CommandOutcome, runCommand } from '../child-process.ts';
import { CliError } from '../cli.errors.ts';
import { openWorkbench, type Workbench } from '../composition-root.ts';
import { exitCodeFor } from '../exit-codes.ts';
import { withProgress } from '../progress.ts';
import { errorObject, renderError } from '../render/errors.ts';
import { renderFiles, renderReasons } from '../render/file-list.ts';
import { renderApplySummary } from '../render/panels.ts';
import type { Terminal } from '../terminal.ts';
import { type CommonOptions, type Outcome } from './command-action.ts';
import {
  createOptions,
  renderSandboxNotes,
  runSetup,
  sandboxEnvironment,
  type SandboxOptions,
} from './sandbox-options.ts';

export interface RunOptions extends CommonOptions, SandboxOptions {
  readonly plan?: string;
  readonly apply: boolean;
  readonly keep: boolean;
  readonly discard: boolean;
  readonly message?: string;
  readonly into?: string;
}

type Decision = 'apply' | 'keep' | 'discard';

/** The main job: a sandbox, a command in it, what it changed, and what is to become of that. */
export async function run(
  terminal: Terminal,
  argv: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  assertOneDecision(options);
  const bench = await openWorkbench(options.project, options.timeout);
  const planId = options.plan ?? `run-${bench.ids.next()}`;
  const { place, resource } = bench.project;
  const created = await withProgress(terminal, 'Making the sandbox', (callbacks) =>
    bench.plans.create({ planId, resource, ...createOptions(options), ...callbacks }),
  );
  renderSandboxNotes(terminal, created);
  await runSetup(bench, planId, options.setup, options.json);
  const outcome = await runOrCleanUp(bench, { planId, argv, place, outputToError: options.json });
  const changes = await withProgress(terminal, 'Looking for changes', (callbacks) =>
    bench.plans.changes(planId, callbacks),
  );
  if (!options.json) terminal.out(`\n${renderFiles(terminal, changes.files)}`);
  const decision = await decide(terminal, options, outcome, changes);
  return carryOut(terminal, bench, { planId, options, outcome, changes, decision });
}

/** A command that never started leaves no sandbox behind. */
async function runOrCleanUp(bench: Workbench, command: SandboxCommand): Promise<CommandOutcome> {
  try {
    return await runInSandbox(bench, command);
  } catch (error) {
    if (hasCode(error, 'CLI_COMMAND_NOT_STARTED')) await bench.plans.cleanup(command.planId);
    throw error;
  }
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
  return terminal.isInteractive && !options.json ? askDecision() : 'keep';
}

async function askDecision(): Promise<Decision> {
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select<Decision>({
    message: 'What is to become of these changes?',
    options: [
      { value: 'apply', label: 'Apply', hint: 'take them into the project' },
      { value: 'keep', label: 'Keep', hint: 'leave them in the sandbox for later' },
      { value: 'discard', label: 'Discard', hint: 'remove the sandbox; the work is kept for 30 days' },
    ],
    output: process.stderr,
  });
  return isCancel(answer) ? 'keep' : answer;
}

interface Ending {
  readonly planId: string;
  readonly options: RunOptions;
  readonly outcome: CommandOutcome;
  readonly changes: SandboxChanges;
  readonly decision: Decision;
}

async function carryOut(terminal: Terminal, bench: Workbench, ending: Ending): Promise<Outcome> {
  const { planId, outcome, changes } = ending;
  const json = { planId, commandExitCode: outcome.exitCode, signal: outcome.signal, changes };
  const { exitCode } = outcome;
  switch (ending.decision) {
    case 'keep': {
      const sandboxPath = await bench.plans.sandboxPath(planId);
      const text = keptText(terminal, planId, sandboxPath, exitCode);
      return { json: { ...json, decision: 'kept', sandboxPath, apply: null }, text, exitCode };
    }
    case 'discard': {
      const { rescuedTo } = await withProgress(terminal, 'Removing the sandbox', (callbacks) =>
        bench.plans.cleanup(planId, callbacks),
      );
      const text =
        rescuedTo === null ? 'Sandbox removed.\n' : `Discarded. The work is kept for 30 days: ${rescuedTo}\n`;
      return { json: { ...json, decision: 'discarded', rescuedTo, apply: null }, text, exitCode };
    }
    case 'apply':
      return applyAfterRun(terminal, bench, ending, json);
  }
}

/** The command went well; a refused apply keeps the sandbox and says what to do. */
async function applyAfterRun(
  terminal: Terminal,
  { plans }: Workbench,
  { planId, options }: Ending,
  json: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  let summary: ApplySummary;
  try {
    summary = await withProgress(terminal, 'Applying', (callbacks) =>
      plans.apply(planId, { message: options.message, targetBranch: options.into, ...callbacks }),
    );
  } catch (error) {
    const exitCode = exitCodeFor(error);
    if (!options.json || options.debug) terminal.error(renderError(terminal, error, options.debug));
    const sandboxPath = await plans.sandboxPath(planId);
    return {
      json: { ...json, decision: 'kept', sandboxPath, apply: null, error: errorObject(error), exitCode },
      text: keptText(terminal, planId, sandboxPath, 0),
      exitCode,
    };
  }
  return {
    json: { ...json, decision: 'applied', apply: summary },
    text: `${renderReasons('Not in the commit, kept in the sandbox:', summary.omittedFiles)}${renderApplySummary(terminal, summary)}`,
  };
}

function keptText(
  { colours }: Terminal,
  planId: string,
  sandboxPath: string | null,
  exitCode: number,
): string {
  const id = /^[\w.-]+$/.test(planId) ? planId : `'${planId.replaceAll("'", "'\\''")}'`;
  const why =
    exitCode === 0 ? 'Kept' : `The command ended with exit code ${exitCode}, so nothing was applied. Kept`;
  return [
    `${why} as plan ${colours.bold(id)}${sandboxPath === null ? '' : ` in ${sandboxPath}`}`,
    `  look:    cleveragents plan diff ${id}`,
    `  take:    cleveragents plan apply ${id}`,
    `  discard: cleveragents plan cleanup ${id}`,
    '',
  ].join('\n');
}
