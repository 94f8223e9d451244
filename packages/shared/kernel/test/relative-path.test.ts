import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRelativePath } from '@cleveragents/shared-kernel';

describe('parseRelativePath', () => {
  it.each([
    ['src/main.ts', 'src/main.ts'],
    ['./a//b/', 'a/b'],
    ['..foo/....//x', '..foo/..../x'],
    ['..\\x', '..\\x'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['~/x', '~/x'],
  ])('reads %j as %j', (raw, path) => {
    expect(parseRelativePath(raw)).toBe(path);
  });

  it.each(['../etc/passwd', 'a/../../x', 'a/..', '..', '/etc/passwd', '//etc/passwd'])(
    'refuses %j as traversal',
    (raw) => {
      expect(() => parseRelativePath(raw)).toThrow('Path traversal not allowed');
    },
  );

  it.each(['', '.', './', 'a\0b', 'a\ud800', 'x'.repeat(5000)])('refuses %j as no path', (raw) => {
    expect(() => parseRelativePath(raw)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });

  it('changes nothing that it returned', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 }),
        (segments) => {
          const raw = segments.join('/');
          let parsed: string;
          try {
            parsed = parseRelativePath(raw);
          } catch {
            return;
          }
          expect(parseRelativePath(parsed)).toBe(parsed);
        },
      ),
    );
  });
});
