import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isGitName, parseRootedPath } from '@cleveragents/shared-kernel';

const codeOf = (raw: unknown, windows = false): string => {
  try {
    return parseRootedPath(raw, { windows }).segments.join(' | ');
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a path below a root', () => {
  it.each([
    ['src/main.ts', 'src | main.ts'],
    ['./a//b/.', 'a | b'],
    ['.', ''],
    ['a/../b', 'a | .. | b'],
    ['..\\x', '..\\x'],
    ['C:\\x', 'C:\\x'],
    ['~/x', '~ | x'],
    ['....//x', '.... | x'],
    ['a:b', 'a:b'],
  ])('%j is %j', (raw, expected) => {
    expect(codeOf(raw)).toBe(expected);
  });

  it.each([
    ['..\\x', 'PATH_TRAVERSAL'],
    ['a\\..\\..\\x', 'PATH_TRAVERSAL'],
    ['\\x', 'PATH_TRAVERSAL'],
    ['\\\\server\\share', 'PATH_TRAVERSAL'],
    ['C:\\x', 'PATH_TRAVERSAL'],
    ['c:x', 'PATH_TRAVERSAL'],
    ['a\\b/c', 'a | b | c'],
  ])('on Windows %j is %j', (raw, expected) => {
    expect(codeOf(raw, true)).toBe(expected);
  });

  it.each([undefined, null, 7, {}, ['a'], '', 'a\0', '\ud800', 'é'.repeat(2049), 'file:///a', 'https://a/b'])(
    'is never %j',
    (raw) => {
      expect(codeOf(raw)).toBe('PATH_INVALID');
    },
  );

  it('never climbs above the root at any of its segments', () => {
    const segment = fc.constantFrom('..', 'a', '.', '', 'b');
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        const raw = `x${segments.map((each) => `/${each}`).join('')}`;
        let depth = 1;
        const climbs = segments.some((each) => {
          depth += each === '..' ? -1 : each === '.' || each === '' ? 0 : 1;
          return depth < 0;
        });
        expect(codeOf(raw) === 'PATH_TRAVERSAL').toBe(climbs);
      }),
    );
  });
});

describe('a name of .git', () => {
  it.each([
    '.git',
    '.GIT',
    '.gIt',
    'git~1',
    'GIT~1',
    '.git.',
    '.git ',
    '.git . .',
    '.git:x',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    '\ufeff.git',
    '.gi\u202et',
    '.git .:x',
  ])('is %j', (name) => {
    expect(isGitName(name)).toBe(true);
  });

  it.each(['git', '.gitignore', '.git-x', '.github', 'x.git', 'git~2', 'git~10', '..git', '.git x'])(
    'is not %j',
    (name) => {
      expect(isGitName(name)).toBe(false);
    },
  );
});
