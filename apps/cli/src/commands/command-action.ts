import { type Command, InvalidArgumentError } from 'commander';
import type { EngineChoice } from '@cleveragents/sandbox-adapter-git-worktree';
import { exitCodeFor } from '../exit-codes.ts';
import { errorObject, renderError, withCompleteHint } from '../render/errors.ts';
import { printableJson } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { engineOption } from './engine-option.ts';
import { PlanFailure } from './plan-failure.ts';

/** What every command takes. */
export interface CommonOptions {
  readonly project: string;
  readonly json: boolean;
  readonly debug: boolean;
  readonly timeout: number;
  readonly engine: EngineChoice;
}

/** What a command ends with. */
export interface Outcome {
  /** For `--json`; also says what the command did to programs that read it. */
  readonly json: Readonly<Record<string, unknown>>;
  /** For people; bytes are written as they are. */
  readonly text: string | Uint8Array;
  /** Default 0. */
  readonly exitCode?: number;
}

/** Adds the options that every command takes, and the last lines of its help. */
export function withCommonOptions(command: Command, examples: readonly string[]): Command {
  return command
    .option('--project <dir>', 'directory of the project', '.')
    .option('--json', 'print one JSON object instead of text', false)
    .option('--timeout <seconds>', 'longest that one git operation may take', parseSeconds, 30)
    .addOption(engineOption('command'))
    .option('--no-color', 'no colours')
    .option('--debug', 'print stack traces of errors', false)
    .addHelpText('after', examplesText(examples));
}

export function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}\n`;
}

const EARLY_OPTIONS = ['project', 'json', 'timeout', 'engine', 'debug'] as const;

/** Lets the options that every command takes stand before the command's name as well. */
export function withEarlyOptions(command: Command): Command {
  return command
    .option('--project <dir>', 'directory of the project')
    .option('--json', 'print one JSON object instead of text')
    .option('--timeout <seconds>', 'longest that one git operation may take', parseSeconds)
    .addOption(engineOption('early'))
    .option('--no-color', 'no colours')
    .option('--debug', 'print stack traces of errors');
}

/** Hands `command` the options that stood before its name; those after it win. */
export function takeEarlyOptions(command: Command): void {
  for (let early = command.parent; early !== null; early = early.parent)
    for (const name of EARLY_OPTIONS) {
      if (early.getOptionValueSource(name) !== 'cli' || command.getOptionValueSource(name) === 'cli')
        continue;
      command.setOptionValueWithSource(name, early.getOptionValue(name), 'cli');
    }
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (!(seconds > 0) || !Number.isFinite(seconds))
    throw new InvalidArgumentError('It must be a positive number of seconds.');
  return seconds;
}

/** Runs a command, prints its outcome or its error, and sets the exit code. Never throws. */
export async function runAction(
  terminal: Terminal,
  name: string,
  options: CommonOptions,
  action: () => Promise<Outcome>,
): Promise<void> {
  try {
    const { json, text, exitCode = 0 } = await action();
    terminal.out(options.json ? `${printableJson({ command: name, ...json })}\n` : text);
    process.exitCode = exitCode;
  } catch (thrown) {
    const { error, json } = failureOf(thrown, options);
    const exitCode = exitCodeFor(error);
    if (options.json) terminal.out(`${printableJson({ command: name, ...json, exitCode })}\n`);
    if (!options.json || options.debug) terminal.error(renderError(terminal, error, options.debug));
    process.exitCode = exitCode;
  }
}

function failureOf(
  thrown: unknown,
  { project }: CommonOptions,
): { readonly error: unknown; readonly json: Readonly<Record<string, unknown>> } {
  if (!(thrown instanceof PlanFailure)) return { error: thrown, json: { error: errorObject(thrown) } };
  const { planId, reason } = thrown;
  const error = withCompleteHint(reason, { planId, project });
  return { error, json: { planId, error: errorObject(error) } };
}
