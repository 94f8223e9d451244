import { describe, expect, it } from '@jest/globals';
import { SandboxCommitError, SandboxCreationError } from '@cleveragents/sandbox-domain';
import { CodedError, ValidationError } from '@cleveragents/shared-kernel';
import { exitCodeFor } from '../src/exit-codes.ts';
import { errorObject, renderError } from '../src/render/errors.ts';
import { printable, printableJson, printableLines } from '../src/render/text.ts';
import { RecordingTerminal } from './recording-terminal.ts';

describe('an exit code', () => {
  it.each<[string, unknown, number]>([
    ['a fault of ours', new Error('broken invariant'), 1],
    ['a system error nobody expected', Object.assign(new Error('EIO'), { code: 'EIO' }), 1],
    ['invalid input', new ValidationError('plan_id cannot be empty'), 2],
    ['a wrong command line', new CodedError('CLI_USAGE', 'which plan?'), 2],
    ['a conflict', new SandboxCommitError('SANDBOX_MERGE_CONFLICT', 'both changed a'), 3],
    ['changes in the way', new SandboxCommitError('SANDBOX_TARGET_DIRTY', 'a is dirty'), 3],
    ['a plan that somebody works on', new CodedError('PLAN_LOCKED', 'locked'), 3],
    ['an unknown plan', new CodedError('PLAN_NOT_FOUND', 'no such plan'), 4],
    ['an unsupported repository', new SandboxCreationError('SANDBOX_UNSUPPORTED_REPOSITORY', 'lfs'), 5],
    ['a command that is not there', new CodedError('CLI_COMMAND_NOT_STARTED', 'not found'), 127],
    ['an interruption', new CodedError('SANDBOX_ABORTED', 'aborted'), 130],
  ])('for %s', (_what, error, code) => {
    expect(exitCodeFor(error)).toBe(code);
  });
});

describe('an error', () => {
  const error = new SandboxCommitError('SANDBOX_TARGET_DIRTY', 'a\u001b[2J is dirty\n  b too', {
    hint: 'Commit it.',
    data: { paths: ['a'] },
    cause: new Error('inner'),
  });

  it('says what happened and what to do, and nothing that a terminal would act on', () => {
    const text = renderError(new RecordingTerminal(), error, false);
    expect(text).toBe('error: a\\e[2J is dirty\n  b too\nhint:  Commit it.\n');
  });

  it('shows stacks, also of what led to it, only when asked', () => {
    const text = renderError(new RecordingTerminal(), error, true);
    expect(text).toContain('errors.test.ts');
    expect(text).toContain('caused by:');
    expect(text).toContain('inner');
  });

  it('that nobody planned asks to be reported', () => {
    expect(renderError(new RecordingTerminal(), new TypeError('x is undefined'), false)).toContain('report');
    expect(errorObject(new TypeError('x'))).toEqual({
      code: 'UNEXPECTED',
      message: 'x',
      hint: null,
      data: {},
    });
  });

  it.each(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS'])(
    'of the machine, %s, says what to do and blames nobody',
    (code) => {
      const refused = Object.assign(new Error(`${code}: write`), { code });
      const text = renderError(new RecordingTerminal(), refused, false);
      expect(text).toMatch(/^error: .*\nhint: {2}.*run the command again\.\n$/);
      expect(errorObject(refused)['hint']).toContain('run the command again');
    },
  );

  it('is data with --json', () => {
    expect(errorObject(error)).toEqual({
      code: 'SANDBOX_TARGET_DIRTY',
      message: 'a\u001b[2J is dirty\n  b too',
      hint: 'Commit it.',
      data: { paths: ['a'] },
    });
  });
});

describe('printable text', () => {
  it.each([
    ['plain ünïcödé 宽 🙂', 'plain ünïcödé 宽 🙂'],
    ['a\nb\tc', 'a\\nb\\tc'],
    ['\u001b]0;title\u0007', '\\e]0;title\\u0007'],
    ['a\u202eb', 'a\\u202eb'],
    ['\u009b31m', '\\u009b31m'],
  ])('%j', (raw, shown) => {
    expect(printable(raw)).toBe(shown);
  });

  it('keeps the line ends of text', () => {
    expect(printableLines('a\nb\u001b')).toBe('a\nb\\e');
  });

  it('is what JSON holds, and it still means the same', () => {
    const value = { 'a\u009b': ['\u001b[31m\u202e\u2028\u007f\ufeff', 'é 🙂 \\u0041', { b: null }] };
    const json = printableJson(value);
    expect(json).toMatch(/^[\n\x20-\x7eé🙂]*$/u);
    expect(JSON.parse(json)).toEqual(value);
  });
});
