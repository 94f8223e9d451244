import { describe, expect, it } from '@jest/globals';
import { CodedError, hasCode, ValidationError } from '@cleveragents/shared-kernel';

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
