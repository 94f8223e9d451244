import { CodedError, hasCode, messageOf } from '@cleveragents/shared-kernel';

export interface ToolFailure {
  readonly success: false;
  readonly error: {
    /** Stable. `INTERNAL` is a fault of ours, never the caller's. */
    readonly code: string;
    readonly message: string;
    /** The next step. */
    readonly hint?: string;
  };
}

export type ToolResult<Output = Readonly<Record<string, unknown>>> =
  { readonly success: true; readonly output: Output } | ToolFailure;

export function succeeded<Output>(output: Output): ToolResult<Output> {
  return { success: true, output };
}

export function failed(code: string, message: string, hint?: string): ToolFailure {
  return { success: false, error: { code, message, ...(hint !== undefined && { hint }) } };
}

/** What was thrown, as an answer. */
export function failureOf(thrown: unknown): ToolFailure {
  if (isCoded(thrown)) return failed(thrown.code, thrown.message, thrown.hint);
  if (hasCode(thrown, 'ABORT_ERR') || nameOf(thrown) === 'AbortError')
    return failed('CANCELLED', 'The call was cancelled');
  return failed(
    'INTERNAL',
    `The tool failed: ${messageOf(thrown)}`,
    'This is a fault of the tool: please report it.',
  );
}

/** Not by `instanceof` alone: another copy of the kernel has another class. */
function isCoded(thrown: unknown): thrown is CodedError {
  return (
    thrown instanceof CodedError ||
    (typeof thrown === 'object' &&
      thrown !== null &&
      'code' in thrown &&
      'hint' in thrown &&
      'data' in thrown)
  );
}

function nameOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.name : undefined;
}
