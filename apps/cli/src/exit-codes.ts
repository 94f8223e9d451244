import { constants } from 'node:os';
import { isCodedError } from '@cleveragents/shared-kernel';

/** What the process ends with. `run` and `plan exec` pass their command's own code on instead of `DONE`. */
export const ExitCode = {
  DONE: 0,
  FAULT: 1,
  USAGE: 2,
  REFUSED: 3,
  NOT_FOUND: 4,
  UNSUPPORTED: 5,
  /** As env(1) and shells have it: the command to run could not be started. */
  NOT_STARTED: 127,
  INTERRUPTED: 130,
} as const;

const BY_CODE: Readonly<Record<string, number>> = {
  VALIDATION_FAILED: ExitCode.USAGE,
  CLI_USAGE: ExitCode.USAGE,
  CLI_PROJECT_NOT_FOUND: ExitCode.NOT_FOUND,
  CLI_COMMAND_NOT_STARTED: ExitCode.NOT_STARTED,
  PLAN_NOT_FOUND: ExitCode.NOT_FOUND,
  CHECKPOINT_NOT_FOUND: ExitCode.NOT_FOUND,
  ROLLBACK_PATH_UNKNOWN: ExitCode.NOT_FOUND,
  PLAN_NOTHING_RESCUED: ExitCode.NOT_FOUND,
  PLAN_STRATEGY_MISSING: ExitCode.UNSUPPORTED,
  SANDBOX_UNSUPPORTED_REPOSITORY: ExitCode.UNSUPPORTED,
  SANDBOX_BARE_REPOSITORY: ExitCode.UNSUPPORTED,
  SANDBOX_NO_COMMIT: ExitCode.UNSUPPORTED,
  GIT_UNSUPPORTED_REPOSITORY: ExitCode.UNSUPPORTED,
  SANDBOX_SOURCE_MISSING: ExitCode.NOT_FOUND,
  SANDBOX_ABORTED: ExitCode.INTERRUPTED,
  GIT_ABORTED: ExitCode.INTERRUPTED,
};

/** Everything with a code is a refusal that changed nothing, unless the table says otherwise; the rest is a fault of ours. */
export function exitCodeFor(error: unknown): number {
  const code = codeOf(error);
  if (code === null) return ExitCode.FAULT;
  if (code === 'CLI_INTERRUPTED' && isCodedError(error))
    return exitCodeOfSignal(error.data['signal'] as NodeJS.Signals);
  return (
    BY_CODE[code] ??
    (/^(SANDBOX|PLAN|GIT|LOCK|CLI|CHECKPOINT|ROLLBACK|CORRECTION|SNAPSHOT|MCP)_/.test(code)
      ? ExitCode.REFUSED
      : ExitCode.FAULT)
  );
}

/** As shells have it. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function codeOf(error: unknown): string | null {
  if (isCodedError(error)) return error.code;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
