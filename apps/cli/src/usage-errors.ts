import type { CommanderError } from 'commander';
import { CliError } from './cli.errors.ts';

/** Whether the caller wants JSON, also when the rest of the command line cannot be understood. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}

/** What commander refused, as an error like any other. */
export function usageError({ code, message }: CommanderError): CliError {
  const said = code === 'commander.help' ? 'A command is missing' : message.replace(/^error: /, '');
  return new CliError('CLI_USAGE', said, { hint: 'Add --help for usage.', data: {} });
}
