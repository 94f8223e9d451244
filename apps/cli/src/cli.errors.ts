import { CodedError, type ErrorDetails } from '@cleveragents/shared-kernel';

/**
 * - `CLI_USAGE`: the command line cannot be meant like this.
 * - `CLI_PROJECT_NOT_FOUND`: the project directory does not exist.
 * - `CLI_COMMAND_NOT_STARTED`: the command to run is not there or may not be run.
 * - `CLI_SETUP_FAILED`: the `--setup` command failed; the sandbox is kept.
 * - `CLI_STATE_FOLDER`: the folder for sandboxes cannot be made.
 * - `CLI_INTERRUPTED`: a signal ended it; `data.signal`.
 */
export type CliErrorCode =
  | 'CLI_USAGE'
  | 'CLI_PROJECT_NOT_FOUND'
  | 'CLI_COMMAND_NOT_STARTED'
  | 'CLI_SETUP_FAILED'
  | 'CLI_STATE_FOLDER'
  | 'CLI_INTERRUPTED';

export class CliError extends CodedError<CliErrorCode> {
  constructor(code: CliErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details);
  }
}
