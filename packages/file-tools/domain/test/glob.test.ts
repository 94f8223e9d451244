import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { minimatch } from 'minimatch';
import { compileGlob } from '@cleveragents/file-tools-domain';

describe('a glob', () => {
  it.each([
    ['*.ts', 'src/deep/main.ts', true],
    ['*.ts', 'main.tsx', false],
    ['*.{ts,tsx}', 'a/b.tsx', true],
    ['src/*.ts', 'src/main.ts', true],
    ['src/*.ts', 'src/deep/main.ts', false],
    ['src/**/*.ts', 'src/main.ts', true],
    ['src/**/*.ts', 'src/a/b/main.ts', true],
    ['**/test/**', 'a/test/b/c', true],
    ['**/test/**', 'a/test', false],
    ['./src/*', 'src/x', true],
    ['?.md', '🙂.md', true],
    ['[a-c]*', 'beta', true],
    ['[!a-c]*', 'beta', false],
    ['[]]', ']', true],
    ['\\*.md', '*.md', true],
    ['\\*.md', 'a.md', false],
    ['{a}', '{a}', true],
    ['[unclosed', '[unclosed', true],
    ['.*', '.env', true],
    ['*', '.env', true],
  ])('%j on %j: %j', (pattern, path, matches) => {
    expect(compileGlob(pattern)(path)).toBe(matches);
  });

  it.each(['/etc/*', '../**', 'a/../../*', 'a/{..,b}/*'])('%j is refused as traversal', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow('traversal');
  });

  it.each(['', 'x'.repeat(2000), '{a,b}'.repeat(20)])('%j is refused', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: 'PATTERN_INVALID' }));
  });

  it('takes no exponential time', () => {
    const stars = `${'*a'.repeat(200)}*b`;
    expect(compileGlob(stars)('a'.repeat(4000))).toBe(false);
    expect(compileGlob(`${'**/a/'.repeat(100)}b`)('a/'.repeat(1500))).toBe(false);
  });

  it('means what minimatch means', () => {
    const part = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]', '.', 'ab');
    const segment = fc.oneof(
      { weight: 4, arbitrary: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: fc.constant('**') },
    );
    const patterns = fc.array(segment, { minLength: 2, maxLength: 4 }).map((segments) => segments.join('/'));
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', 'c'), minLength: 1, maxLength: 4 });
    const paths = fc.array(name, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(patterns, paths, (pattern, names) => {
        // Names that are no names, and what minimatch makes of dots and of stars within a segment.
        fc.pre(!names.some((each) => /^\.+$/.test(each)) && !/(^|\/)\.+(\/|$)/.test(pattern));
        fc.pre(!/\*\*[^/]|[^/]\*\*/.test(pattern));
        const path = names.join('/');
        expect(compileGlob(pattern)(path)).toBe(
          minimatch(path, pattern, { dot: true, nobrace: true, noext: true }),
        );
      }),
      { numRuns: 3000 },
    );
  });
});
