import { Command, CommanderError } from 'commander';
import {
  type CommonOptions,
  examplesText,
  type Outcome,
  runAction,
  takeEarlyOptions,
  withCommonOptions,
  withEarlyOptions,
} from './commands/command-action.ts';
import type { RunOptions } from './commands/run.ts';
import type { ListOptions } from './commands/plan-list.ts';
import type { ApplyOptions } from './commands/plan.ts';
import type { RestoreOptions } from './commands/plan-restore.ts';
import { type SandboxOptions, withSandboxOptions } from './commands/sandbox-options.ts';
import { ExitCode } from './exit-codes.ts';
import { addDoctorCommand } from './program-doctor.ts';
import { addCheckpointCommands } from './program-checkpoints.ts';
import { addMcpCommands } from './program-mcp.ts';
import { addToolCommands } from './program-tools.ts';
import { usageError, wantsJson } from './usage-errors.ts';
import type { Terminal } from './terminal.ts';

const PLAN_ID = 'plan id; the only open plan when it is left out';

const EXAMPLES = [
  'cleveragents run -- npx prettier --write .',
  'cleveragents run --apply --message "format" -- npx prettier --write .',
  'cleveragents plan diff',
  'cleveragents plan apply',
  'cleveragents plan rollback',
];

const PLAN_EXAMPLES = [
  'cleveragents plan create fix-parser',
  'cleveragents plan exec fix-parser -- npm test',
  'cleveragents plan diff fix-parser',
  'cleveragents plan apply fix-parser',
];

/**
 * The command line. Each command's code is loaded when it runs.
 * @param help where help and complaints about the command line go.
 */
export function buildProgram(terminal: Terminal, version: string, help: Terminal = terminal): Command {
  const program = withEarlyOptions(new Command('cleveragents'))
    .description('Let an agent, or any command, change a project without touching it.')
    .version(version)
    .enablePositionalOptions()
    .hook('preAction', (_program, command) => takeEarlyOptions(command))
    .exitOverride()
    .configureOutput({ writeOut: (text) => help.out(text), writeErr: (text) => help.error(text) })
    .showHelpAfterError('(add --help for usage)')
    .addHelpText(
      'after',
      `${examplesText(EXAMPLES)}
Exit codes: 0 done, 1 fault, 2 wrong usage, 3 refused and nothing changed (doctor: a problem is left), 4 not found, 5 unsupported project,
130 interrupted (128 + the signal's number); run and plan exec pass their command's code on, or end with 127 when
it could not be started.`,
    );
  addRun(program, terminal);
  const plan = withEarlyOptions(program.command('plan'))
    .description('work with plans step by step')
    .addHelpText('after', examplesText(PLAN_EXAMPLES));
  addMakingCommands(plan, terminal);
  addReadingCommands(plan, terminal);
  addEndingCommands(plan, terminal);
  addCheckpointCommands(program, plan, terminal);
  addToolCommands(program, terminal);
  addMcpCommands(program, terminal);
  addDoctorCommand(program, terminal);
  return program;
}

/** Runs the command line; the exit code is set, nothing is thrown. */
export async function runProgram(
  terminal: Terminal,
  version: string,
  argv: readonly string[],
): Promise<void> {
  const json = wantsJson(argv);
  const quiet: Terminal = { ...terminal, out: (text) => terminal.out(text), error: () => undefined };
  try {
    await buildProgram(terminal, version, json ? quiet : terminal).parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) await fail(terminal, json, error);
    else if (error.exitCode === 0) process.exitCode = ExitCode.DONE;
    else if (json) await fail(terminal, json, usageError(error));
    else process.exitCode = ExitCode.USAGE; // commander has said why
  }
}

function fail(terminal: Terminal, json: boolean, error: unknown): Promise<void> {
  const options: CommonOptions = { project: '.', json, debug: false, timeout: 30, engine: 'auto' };
  return runAction(terminal, 'cleveragents', options, () => Promise.reject(error));
}

type Loaded = typeof import('./commands/plan.ts');
type Handler<O extends CommonOptions> = (commands: Loaded, options: O) => Promise<Outcome>;

/** Binds a plan subcommand to a function of commands/plan.ts, which is loaded then. */
function planAction<O extends CommonOptions>(
  terminal: Terminal,
  name: string,
  options: O,
  handler: Handler<O>,
): Promise<void> {
  return runAction(terminal, name, options, async () => handler(await import('./commands/plan.ts'), options));
}

function addRun(program: Command, terminal: Terminal): void {
  const command = program
    .command('run')
    .description('run a command in a sandbox, show what it changed, then apply, keep or discard')
    .passThroughOptions()
    .argument('<command...>', 'the command and its arguments, best after --')
    .option('--plan <id>', 'plan id; made up when it is left out')
    .option('--apply', 'apply when the command succeeds', false)
    .option('--keep', 'keep the sandbox and do not ask', false)
    .option('--discard', 'remove the sandbox afterwards', false)
    .option('--message <text>', 'message of the commit')
    .option('--into <branch>', 'branch to apply to, instead of the one that is checked out')
    .option('--allow-mass-deletion', 'apply although more than half of the files are gone', false)
    .option('--no-checkpoints', 'take no checkpoint before and after the command');
  withCommonOptions(withSandboxOptions(command), [
    'cleveragents run -- npx prettier --write .',
    'cleveragents run --link node_modules --apply -- npm run codemod',
    `cleveragents run --project ../app --json -- sh -c 'echo hello > greeting.txt'`,
  ]).action((argv: string[], options: RunOptions) =>
    runAction(terminal, 'run', options, async () =>
      (await import('./commands/run.ts')).run(terminal, argv, options),
    ),
  );
}

function addMakingCommands(plan: Command, terminal: Terminal): void {
  const create = plan
    .command('create')
    .description('make a plan and its sandbox')
    .argument('[id]', 'plan id; made up when it is left out');
  withCommonOptions(withSandboxOptions(create), [
    'cleveragents plan create fix-parser',
    'cleveragents plan create fix-parser --include-dirty --link node_modules',
  ]).action((id: string | undefined, options: CommonOptions & SandboxOptions) =>
    planAction(terminal, 'plan create', options, (commands, o) => commands.createPlan(terminal, id, o)),
  );

  const exec = plan
    .command('exec')
    .description("run a command in a plan's sandbox")
    .showHelpAfterError('(the command goes after --; add --help for usage)')
    .argument('<id>', 'plan id')
    .argument('<command...>', 'the command and its arguments, after --');
  withCommonOptions(exec, ['cleveragents plan exec fix-parser -- npm test']).action(
    (id: string, argv: string[], options: CommonOptions) =>
      planAction(terminal, 'plan exec', options, (commands, o) =>
        commands.executeInPlan(terminal, id, argv, o),
      ),
  );

  const refresh = plan
    .command('refresh')
    .description('merge what the project gained meanwhile into the sandbox')
    .argument('[id]', PLAN_ID);
  withCommonOptions(refresh, ['cleveragents plan refresh fix-parser']).action(
    (id: string | undefined, options: CommonOptions) =>
      planAction(terminal, 'plan refresh', options, (commands, o) => commands.refreshPlan(terminal, id, o)),
  );

  const restore = plan
    .command('restore')
    .description('give a plan a new sandbox with the work that was kept, or with the files of a checkpoint')
    .argument('<id>', 'plan id')
    .option('--from <ref>', 'which kept work; the newest when it is left out')
    .option('--checkpoint <id>', 'which checkpoint; the newest when the sandbox was lost and none is named');
  withCommonOptions(restore, [
    'cleveragents plan restore fix-parser',
    'cleveragents plan restore fix-parser --checkpoint 01JD',
  ]).action((id: string, options: RestoreOptions) =>
    runAction(terminal, 'plan restore', options, async () =>
      (await import('./commands/plan-restore.ts')).restorePlan(terminal, id, options),
    ),
  );
}

function addReadingCommands(plan: Command, terminal: Terminal): void {
  const list = plan
    .command('list')
    .description('list the plans of the project')
    .option('--all', 'also plans that are applied, rolled back or closed', false)
    .option('--rescued', 'list kept work instead', false);
  withCommonOptions(list, ['cleveragents plan list', 'cleveragents plan list --all --json']).action(
    (options: ListOptions & { readonly rescued: boolean }) =>
      runAction(terminal, 'plan list', options, async () =>
        options.rescued
          ? (await import('./commands/plan-rescued.ts')).listRescued(terminal, options)
          : (await import('./commands/plan-list.ts')).listPlans(terminal, options),
      ),
  );

  const show = plan
    .command('show')
    .description('show a plan, its sandbox and what it changed')
    .argument('[id]', PLAN_ID);
  withCommonOptions(show, ['cleveragents plan show fix-parser']).action(
    (id: string | undefined, options: CommonOptions) =>
      planAction(terminal, 'plan show', options, (commands, o) => commands.showPlan(terminal, id, o)),
  );

  const diff = plan
    .command('diff')
    .description('print what a plan changed as a patch')
    .argument('[id]', PLAN_ID)
    .option('--stat', 'files and counts only', false);
  withCommonOptions(diff, [
    'cleveragents plan diff fix-parser | less',
    'cleveragents plan diff --stat',
  ]).action((id: string | undefined, options: CommonOptions & { readonly stat: boolean }) =>
    planAction(terminal, 'plan diff', options, (commands, o) => commands.diffPlan(terminal, id, o)),
  );
}

function addEndingCommands(plan: Command, terminal: Terminal): void {
  const apply = plan
    .command('apply')
    .description('take the changes of a plan into the project')
    .argument('[id]', PLAN_ID)
    .option('--dry-run', 'name files, conflicts and files in the way, and change nothing', false)
    .option('--message <text>', 'message of the commit')
    .option('--into <branch>', 'branch to apply to, instead of the one that the plan began on')
    .option('--keep-sandbox', 'leave the sandbox in place', false)
    .option('--allow-mass-deletion', 'apply although more than half of the files are gone', false);
  withCommonOptions(apply, [
    'cleveragents plan apply fix-parser --dry-run',
    'cleveragents plan apply fix-parser --message "fix: parse empty input"',
  ]).action((id: string | undefined, options: ApplyOptions) =>
    planAction(terminal, 'plan apply', options, (commands, o) => commands.applyPlan(terminal, id, o)),
  );

  const rollback = plan
    .command('rollback')
    .description('undo an apply, or take the sandbox back to its base')
    .argument('[id]', 'plan id; the only plan that can be rolled back when it is left out')
    .option('--revert', 'undo an apply with a new commit, which keeps the commits after it', false);
  withCommonOptions(rollback, ['cleveragents plan rollback fix-parser']).action(
    (id: string | undefined, options: CommonOptions & { readonly revert: boolean }) =>
      planAction(terminal, 'plan rollback', options, (commands, o) => commands.rollBackPlan(terminal, id, o)),
  );

  const cleanup = plan
    .command('cleanup')
    .description('remove the sandbox of a plan; its work is kept for 30 days')
    .argument('[id]', 'plan id');
  withCommonOptions(cleanup, ['cleveragents plan cleanup fix-parser']).action(
    (id: string | undefined, options: CommonOptions) =>
      planAction(terminal, 'plan cleanup', options, (commands, o) => commands.cleanUpPlan(terminal, id, o)),
  );
}
