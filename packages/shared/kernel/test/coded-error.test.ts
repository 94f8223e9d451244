import { describe, expect, it } from '@jest/globals';
import { CodedError, hasCode, isCodedError, ValidationError } from '@cleveragents/shared-kernel';

describe('CodedError', () => {
  it('carries code, hint, data and cause', () => {
    const cause = new Error('disk');
    const error = new CodedError('SOME_CODE', 'It failed', { hint: 'Try again', data: { path: 'a' }, cause });
    expect(error).toMatchObject({
      name: 'CodedError',
      code: 'SOME_CODE',
      hint: 'Try again',
      data: { path: 'a' },
      cause,
    });
  });

  it('is recognised by code across realms', () => {
    expect(hasCode(new ValidationError('x'), 'VALIDATION_FAILED')).toBe(true);
    expect(hasCode({ code: 'ENOENT' }, 'EEXIST', 'ENOENT')).toBe(true);
    expect(hasCode(undefined, 'ENOENT')).toBe(false);
    expect(hasCode('ENOENT', 'ENOENT')).toBe(false);
  });
});

describe('isCodedError', () => {
  it('knows every kind of coded error, and nothing that only looks like one', () => {
    expect(isCodedError(new CodedError('SOME_CODE', 'It failed'))).toBe(true);
    expect(isCodedError(new ValidationError('x'))).toBe(true);
    for (const other of [Object.assign(new Error('x'), { code: 'ENOENT', data: {} }), 'SOME_CODE', null])
      expect(isCodedError(other)).toBe(false);
  });

  it('knows the errors of another copy of the package', async () => {
    const { href } = new URL('../src/coded-error.ts?another-copy', import.meta.url);
    const copy: typeof import('@cleveragents/shared-kernel') = await import(href);
    const error = new copy.ValidationError('x');
    expect(error).not.toBeInstanceOf(CodedError);
    expect(isCodedError(error)).toBe(true);
  });
});
