import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { completeHint, planCommand, shellWord } from '../src/render/shell.ts';
import { printable } from '../src/render/text.ts';

/** What bash makes of a word that was pasted. */
function readByShell(words: readonly string[]): readonly string[] {
  const script = words.map((word) => `printf '%s\\0' ${word}`).join('\n');
  const output = execFileSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  return output.split('\0').slice(0, -1);
}

describe('a word for a shell', () => {
  it.each([
    ['fix-parser', 'fix-parser'],
    ['a/b', 'a/b'],
    ['sp ace', "'sp ace'"],
    [`it's "q"`, `'it'\\''s "q"'`],
    ['$(touch pwn)', "'$(touch pwn)'"],
    ['~', "'~'"],
    ['\u001b[31mred', "$'\\e[31mred'"],
    ['new\nline', "$'new\\nline'"],
    ["it's\u202e", "$'it\\'s\\u202e'"],
    ['', "''"],
  ])('%j is %s', (text, word) => {
    expect(shellWord(text)).toBe(word);
  });

  it('is read by a shell as what it stands for, and does nothing to a terminal', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(texts, (generated: readonly string[]) => {
        const meant = generated.map((text) => text.replaceAll('\0', ''));
        const words = meant.map(shellWord);
        expect(readByShell(words)).toEqual(meant);
        expect(words.map(printable)).toEqual(words);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a command about a plan', () => {
  it('names the plan', () => {
    expect(planCommand('diff', { planId: 'fix parser', project: '.' })).toBe(
      "cleveragents plan diff 'fix parser'",
    );
  });

  it('names the project that the caller named', () => {
    expect(planCommand('apply', { planId: 'a', project: '../my app' })).toBe(
      "cleveragents plan apply --project '../my app' a",
    );
  });

  it('does not let a plan id be taken for an option', () => {
    expect(planCommand('cleanup', { planId: '--help', project: '.' })).toBe(
      'cleveragents plan cleanup -- --help',
    );
  });
});

describe('a hint', () => {
  const place = { planId: 'fix', project: '.' };
  it.each([
    [
      'Bring it in with `cleveragents plan refresh`, then.',
      'Bring it in with `cleveragents plan refresh fix`, then.',
    ],
    ['`cleveragents plan apply --into <branch>`.', '`cleveragents plan apply --into <branch> fix`.'],
    ['`plan apply --allow-mass-deletion`', '`cleveragents plan apply --allow-mass-deletion fix`'],
    ['See `cleveragents plan list --rescued`.', 'See `cleveragents plan list --rescued`.'],
    ['Commit them.', 'Commit them.'],
  ])('%s', (hint, completed) => {
    expect(completeHint(hint, place)).toBe(completed);
  });
});
