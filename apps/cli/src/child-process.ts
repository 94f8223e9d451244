import { type ChildProcess, spawn } from 'node:child_process';
import { hasCode } from '@cleveragents/shared-kernel';
import { CliError } from './cli.errors.ts';
import { exitCodeOfSignal } from './exit-codes.ts';

export interface CommandToRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What the command prints goes to standard error: standard output is for one JSON object. */
  readonly outputToError: boolean;
}

export interface CommandOutcome {
  /** The command's own exit code; 128 + the signal's number when a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
}

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** A terminal sends these to the command itself: passed on, one Ctrl-C would be two. */
const SENT_BY_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/**
 * Runs a command to its end, without a shell. Signals that reach us meanwhile are the command's to answer.
 * @throws CliError `CLI_COMMAND_NOT_STARTED`.
 */
export function runCommand({ argv, cwd, environment, outputToError }: CommandToRun): Promise<CommandOutcome> {
  const [program = '', ...args] = argv;
  const running: { child?: ChildProcess } = {};
  const ignore = (): void => undefined;
  const passOn = (signal: NodeJS.Signals): void => void running.child?.kill(signal);
  // before there is a command: one that is quick to speak is answered with a signal before the next line has run
  for (const signal of SENT_BY_TERMINALS) process.on(signal, isOnTerminal() ? ignore : passOn);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  const child = spawn(program, args, {
    cwd,
    env: { ...withoutGitVariables(process.env), ...environment },
    stdio: ['inherit', outputToError ? 2 : 'inherit', 'inherit'],
  });
  running.child = child;
  return new Promise<CommandOutcome>((resolve, reject) => {
    child.once('error', (cause) => reject(notStarted(program, cause)));
    child.once('exit', (code, signal) => {
      resolve({ exitCode: signal === null ? (code ?? 0) : exitCodeOfSignal(signal), signal });
    });
  }).finally(() => {
    for (const signal of SENT_BY_TERMINALS) process.off(signal, ignore).off(signal, passOn);
    for (const signal of PASSED_ON) process.off(signal, passOn);
  });
}

function isOnTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}

/**
 * Git's own variables about where a repository is would lead the command's git out of the sandbox: they are set when
 * we are run from a hook or an alias.
 */
function withoutGitVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const LEADING_OUT =
    /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|INTERNAL_.*|QUARANTINE_PATH|CEILING_DIRECTORIES)$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !LEADING_OUT.test(name)));
}

function notStarted(program: string, cause: Error): CliError {
  const why = hasCode(cause, 'ENOENT')
    ? 'it was not found'
    : hasCode(cause, 'EACCES')
      ? 'it may not be run'
      : cause.message;
  return new CliError('CLI_COMMAND_NOT_STARTED', `The command ${program} could not be started: ${why}`, {
    hint: 'Check its name and PATH; a relative path counts from the sandbox. For shell syntax use `sh -c "..."`.',
    data: { command: program },
    cause,
  });
}
