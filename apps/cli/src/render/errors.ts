import { CodedError, isCodedError, messageOf } from '@cleveragents/shared-kernel';
import type { Terminal } from '../terminal.ts';
import { completeHint, type PlanPlace } from './shell.ts';
import { printableLines } from './text.ts';

const ROOM = 'Make room on that disk, then run the command again.';
const RIGHTS = 'See to the permissions of what is named, then run the command again.';

/** What the machine refuses, which is no fault of ours. */
const REFUSALS: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', ROOM],
  ['EDQUOT', ROOM],
  ['EACCES', RIGHTS],
  ['EPERM', RIGHTS],
  ['EROFS', 'The disk can only be read: make it writable, then run the command again.'],
]);

function hintOf(error: unknown): string | undefined {
  if (isCodedError(error)) return error.hint;
  return error instanceof Error && 'code' in error ? REFUSALS.get(error.code) : undefined;
}

/** What happened, the facts, the next step. The stack only when it was asked for. */
export function renderError({ colours }: Terminal, error: unknown, debug: boolean): string {
  const hint = hintOf(error);
  const lines = [`${colours.red('error:')} ${printableLines(messageOf(error))}`];
  if (hint !== undefined) lines.push(`${colours.cyan('hint:')}  ${printableLines(hint)}`);
  else if (!isCodedError(error))
    lines.push('This is a fault of cleveragents. Run again with --debug and report what it prints.');
  if (debug && error instanceof Error) lines.push(...stackLines(error));
  return `${lines.join('\n')}\n`;
}

/** The same error, its hint completed with the plan that it is about. */
export function withCompleteHint(error: unknown, place: PlanPlace): unknown {
  if (!isCodedError(error) || error.hint === undefined) return error;
  const { code, message, hint, data } = error;
  const completed = new CodedError(code, message, {
    hint: completeHint(hint, place),
    data,
    cause: error.cause,
  });
  if (error.stack !== undefined) completed.stack = error.stack;
  return completed;
}

function stackLines(error: Error): readonly string[] {
  const own = error.stack ?? '';
  return error.cause instanceof Error ? [own, 'caused by:', ...stackLines(error.cause)] : [own];
}

/** The same as data, for `--json`. */
export function errorObject(error: unknown): Readonly<Record<string, unknown>> {
  if (!isCodedError(error))
    return { code: 'UNEXPECTED', message: messageOf(error), hint: hintOf(error) ?? null, data: {} };
  return { code: error.code, message: error.message, hint: error.hint ?? null, data: error.data };
}
