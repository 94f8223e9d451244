import type { Command } from 'commander';
import type { CreateOptions } from '@cleveragents/sandbox-ports';
import type { GitWorktreeMetadata, PlanRecord } from '@cleveragents/sandbox-domain';
import { runCommand } from '../child-process.ts';
import { CliError } from '../cli.errors.ts';
import type { Workbench } from '../composition-root.ts';
import { printable } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';

export interface SandboxOptions {
  readonly includeDirty: boolean;
  readonly link: readonly string[];
  readonly copy: readonly string[];
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
    .option('--setup <command>', 'shell command to run in the new sandbox first');
}

export function createOptions({ includeDirty, link, copy }: SandboxOptions): CreateOptions {
  return { includeDirty, link, copy };
}

/** What a new sandbox does not hold or do, on standard error: nobody should have to find out. */
export function renderSandboxNotes(terminal: Terminal, plan: PlanRecord): void {
  if (plan.sandbox.status === 'pending' || plan.sandbox.context?.metadata.strategy !== 'git_worktree') return;
  const metadata = plan.sandbox.context.metadata as GitWorktreeMetadata;
  const notes = metadata['notes'];
  if (!Array.isArray(notes)) return;
  for (const note of notes as readonly { readonly detail: string }[])
    terminal.error(`${terminal.colours.yellow('note:')} ${printable(note.detail)}\n`);
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
