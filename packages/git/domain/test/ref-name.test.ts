import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkBranchName, checkRefName, refNameConflicts } from '../src/index.ts';
import { forEachArgument } from './support/real-git.ts';

const PIECES = [
  'a',
  'b',
  '.',
  '..',
  '/',
  '//',
  '.lock',
  '@',
  '@{',
  '{',
  '-',
  'HEAD',
  ' ',
  '~',
  '^',
  ':',
  '?',
  '*',
  '[',
  '\\',
];
const ODD = [
  '\u007f',
  '\u0001',
  '\n',
  '\t',
  'é',
  '😀',
  '\u00a0',
  'refs',
  'heads',
  'x.lock',
  '.hid',
  ']',
  '}',
  "'",
  '"',
  '$',
];
const names = fc
  .array(fc.constantFrom(...PIECES, ...ODD), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));

describe('the names of refs', () => {
  it('are accepted exactly when git check-ref-format accepts them', () => {
    const sample = fc.sample(names, { seed: 1, numRuns: 500 });
    const verdicts = forEachArgument(
      'git check-ref-format "$argument" 2>/dev/null && echo yes || echo no',
      sample,
    );
    expect(sample.map((name) => [name, checkRefName(name) === null])).toEqual(
      sample.map((name, at) => [name, verdicts[at] === 'yes']),
    );
  });

  it('of branches are accepted exactly when git check-ref-format --branch accepts them', () => {
    const sample = fc.sample(names, { seed: 2, numRuns: 400 }).filter((name) => !name.startsWith('@{'));
    const command = 'git check-ref-format --branch "$argument" >/dev/null 2>&1 && echo yes || echo no';
    const verdicts = forEachArgument(command, sample);
    expect(sample.map((name) => [name, checkBranchName(name) === null])).toEqual(
      sample.map((name, at) => [name, verdicts[at] === 'yes']),
    );
  });

  it.each([
    ['', 'empty'],
    ['main', 'one-level'],
    ['refs//a', 'empty-component'],
    ['refs/.a', 'component-starts-with-dot'],
    ['refs/a.lock/b', 'component-ends-with-lock'],
    ['refs/a..b', 'double-dot'],
    ['refs/a.', 'ends-with-dot'],
    ['refs/a b', 'forbidden-character'],
    ['refs/@{a', 'at-brace'],
    ['@', 'at'],
    ['refs/\ud800', 'not-unicode'],
  ] as const)('%j is refused: %s', (name, fault) => {
    expect(checkRefName(name)).toBe(fault);
  });

  it.each([
    ['-x', 'starts-with-dash'],
    ['HEAD', 'head'],
    ['', 'empty'],
  ] as const)('%j is no branch: %s', (name, fault) => {
    expect(checkBranchName(name)).toBe(fault);
  });

  it('exclude each other when one is a directory of the other', () => {
    expect(refNameConflicts('refs/heads/a', 'refs/heads/a/b')).toBe(true);
    expect(refNameConflicts('refs/heads/a/b', 'refs/heads/a')).toBe(true);
    expect(refNameConflicts('refs/heads/a', 'refs/heads/ab')).toBe(false);
    expect(refNameConflicts('refs/heads/a', 'refs/heads/a')).toBe(false);
  });
});
