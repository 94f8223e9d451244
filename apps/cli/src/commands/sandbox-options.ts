import type { Command } from 'commander';
import type { GitWorktreeMetadata, PlanRecord } from '@cleveragents/sandbox-domain';
import { runCommand } from '../child-process.ts';
import { CliError } from '../cli.errors.ts';
import type { Workbench } from '../composition-root.ts';
import { withProgress } from '../progress.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { aboutPlan } from './plan-failure.ts';

export interface SandboxOptions {
  readonly includeDirty: boolean;
  readonly link: readonly string[];
  readonly copy: readonly string[];
  readonly exclude: readonly string[];
  readonly setup?: string;
}

/** The options of commands that make a sandbox. */
export function withSandboxOptions(command: Command): Command {
  const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];
  return command
    .option('--include-dirty', 'begin with the uncommitted changes of the project', false)
    .option(
      '--link <path>',
      'link a path of the project into the sandbox, such as node_modules (repeatable)',
      collect,
      [],
    )
    .option(
      '--copy <path>',
      'copy a path of the project into the sandbox, such as .env (repeatable)',
      collect,
      [],
    )
    .option(
      '--exclude <pattern>',
      'leave out of the sandbox what a .gitignore pattern names; for projects that are no git repository (repeatable)',
      collect,
      [],
    )
    .option('--setup <command>', 'shell command to run in the new sandbox first');
}

/** Makes a plan and its sandbox, and says on standard error what that does not hold or do: nobody should have to find out. */
export async function makeSandbox(
  terminal: Terminal,
  { plans, project: { resource } }: Workbench,
  planId: string,
  { includeDirty, link, copy, exclude }: SandboxOptions,
): Promise<PlanRecord> {
  const plan = await aboutPlan(planId, () =>
    withProgress(terminal, 'Making the sandbox', (callbacks) =>
      plans.create({ planId, resource, includeDirty, link, copy, exclude, ...callbacks }),
    ),
  );
  for (const { detail, wayOut } of notesOf(plan))
    terminal.error(`${terminal.colours.yellow('note:')} ${printable(detail)}. ${printable(wayOut)}\n`);
  return plan;
}

interface Note {
  readonly detail: string;
  readonly wayOut: string;
}

function notesOf({ sandbox }: PlanRecord): readonly Note[] {
  if (sandbox.status === 'pending' || sandbox.context?.metadata.strategy !== 'git_worktree') return [];
  const notes = (sandbox.context.metadata as GitWorktreeMetadata)['notes'];
  return Array.isArray(notes) ? (notes as readonly Note[]) : [];
}

/** Runs the `--setup` command in a new sandbox. @throws CliError `CLI_SETUP_FAILED`. */
export async function runSetup(
  { plans }: Workbench,
  planId: string,
  setup: string | undefined,
  outputToError: boolean,
): Promise<void> {
  if (setup === undefined) return;
  const { exitCode } = await plans.execute(planId, {
    label: `setup: ${setup}`,
    run: ({ path }) =>
      runCommand({
        argv: process.platform === 'win32' ? ['cmd', '/d', '/s', '/c', setup] : ['sh', '-c', setup],
        cwd: path,
        environment: sandboxEnvironment(planId, path),
        outputToError,
      }),
    describe: (outcome) => ({ ...outcome }),
  });
  if (exitCode === 0) return;
  throw new CliError('CLI_SETUP_FAILED', `The setup command ended with exit code ${exitCode}: ${setup}`, {
    hint: 'Look at the sandbox with `cleveragents plan show`, or remove it with `cleveragents plan cleanup`.',
    data: { planId, exitCode },
  });
}

/** What a command in a sandbox finds in its environment. */
export function sandboxEnvironment(planId: string, path: string): Readonly<Record<string, string>> {
  return { CLEVERAGENTS_SANDBOX: path, CLEVERAGENTS_PLAN: planId };
}
