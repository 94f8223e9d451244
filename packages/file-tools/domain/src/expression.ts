import { messageOf } from '@cleveragents/shared-kernel';
import { FileToolError } from './file-tool.errors.ts';

export interface Expression {
  readonly source: string;
  /** `u` where the expression is valid with it: then `.` is a whole character, and `\p{...}` has its meaning. */
  readonly flags: '' | 'u';
}

/** @throws FileToolError `PATTERN_INVALID` */
export function parseExpression(source: string): Expression {
  if (isValid(source, 'u')) return { source, flags: 'u' };
  try {
    RegExp(source);
    return { source, flags: '' };
  } catch (error) {
    throw new FileToolError('PATTERN_INVALID', `The pattern is no regular expression: ${messageOf(error)}`, {
      hint: 'Give a JavaScript regular expression, or set "literal" to search for plain text.',
    });
  }
}

function isValid(source: string, flags: string): boolean {
  try {
    RegExp(source, flags);
    return true;
  } catch {
    // A syntax error: there is no other way to ask.
    return false;
  }
}

/** @throws FileToolError `PATTERN_INVALID` for what no line can hold */
export function parseLiteral(literal: string): string {
  if (literal !== '' && !literal.includes('\n') && literal.isWellFormed()) return literal;
  throw new FileToolError(
    'PATTERN_INVALID',
    'The literal is empty, has a line break or is not valid Unicode',
    {
      hint: 'A search goes line by line: give text of one line.',
    },
  );
}
