import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ConflictStyle,
  type ContentMerge,
  type ContentMergeOptions,
  mergeContents,
} from '../src/index.ts';
import { RealRepository } from './support/real-git.ts';
import { longText, textTriples } from './support/text-arbitraries.ts';

const AS_MERGE_FILE: ContentMergeOptions = {
  labels: { ours: 'ours', base: 'base', theirs: 'theirs' },
  algorithm: 'myers',
  joinAcrossPunctuation: true,
};
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const merged = (texts: readonly [string, string, string], options: ContentMergeOptions): string => {
  const result = mergeContents(bytes(texts[0]), bytes(texts[1]), bytes(texts[2]), options);
  return textOf(result);
};
const textOf = (result: ContentMerge): string =>
  result.kind === 'binary' ? 'binary' : `${result.kind}\n${Buffer.from(result.bytes).toString('latin1')}`;

describe('the merge of a file', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  function gitMerges([base, ours, theirs]: readonly [string, string, string], style: ConflictStyle): string {
    repository.write('base', bytes(base));
    repository.write('ours', bytes(ours));
    repository.write('theirs', bytes(theirs));
    const flags = style === 'merge' ? [] : [`--${style}`];
    const labels = ['ours', 'base', 'theirs'].flatMap((label) => ['-L', label]);
    const { status, stdout } = repository.run([
      'merge-file',
      '-p',
      '-q',
      ...flags,
      ...labels,
      'ours',
      'base',
      'theirs',
    ]);
    return `${status === 0 ? 'clean' : 'conflict'}\n${stdout.toString('latin1')}`;
  }

  it.each<[ConflictStyle, number]>([
    ['merge', 400],
    ['diff3', 120],
    ['zdiff3', 120],
  ])('in the style %s is that of git merge-file, markers included', (style, numRuns) => {
    fc.assert(
      fc.property(textTriples, (texts) => {
        expect(merged(texts, { ...AS_MERGE_FILE, style })).toBe(gitMerges(texts, style));
      }),
      { numRuns },
    );
  });

  it.each([
    [1, 2000, 40],
    [2, 2000, 1500],
    [3, 600, 3],
    [4, 4000, 12],
  ])(
    'is that of git merge-file for long files too (seed %i, %i lines, %i different)',
    (seed, size, distinct) => {
      const base = longText(seed, size, distinct);
      const lines = base.split('\n');
      const edit = (offset: number): string =>
        lines
          .flatMap((line, at) =>
            (at + offset) % 97 === 0 ? [`${line} edited ${offset}`] : (at + offset) % 61 === 0 ? [] : [line],
          )
          .join('\n');
      for (const texts of [
        [base, edit(5), edit(40)],
        [base, longText(seed + 7, size, distinct), edit(9)],
      ] as const)
        expect(merged(texts, AS_MERGE_FILE)).toBe(gitMerges(texts, 'merge'));
    },
  );

  it('is binary when one of the files is, unless only one side changed it', () => {
    const options = { labels: { ours: 'a', theirs: 'b' } };
    expect(merged(['x\n', 'a\0', 'b\n'], options)).toBe('binary');
    expect(merged(['x\n', 'x\n', 'b\0'], options)).toBe('clean\nb\0');
    expect(merged(['x\0', 'y\0', 'y\0'], options)).toBe('clean\ny\0');
  });

  it('keeps every byte and line ending of what nobody changed', () => {
    const base = 'caf\u00e9\r\nb\nc\nd\ne\n\u00ff end';
    const ours = base.replace('b\n', 'B\n');
    const theirs = base.replace('e\n', 'E\n');
    expect(merged([base, ours, theirs], { labels: { ours: 'a', theirs: 'b' } })).toBe(
      'clean\ncaf\u00e9\r\nB\nc\nd\nE\n\u00ff end',
    );
  });

  it('is the same whichever side is ours, when it is clean', () => {
    fc.assert(
      fc.property(textTriples, ([base, ours, theirs]) => {
        const options = { labels: { ours: 'x', theirs: 'x' } };
        const one = mergeContents(bytes(base), bytes(ours), bytes(theirs), options);
        const two = mergeContents(bytes(base), bytes(theirs), bytes(ours), options);
        expect(one.kind).toBe(two.kind);
        if (one.kind === 'clean') expect(textOf(one)).toBe(textOf(two));
      }),
      { numRuns: 500 },
    );
  });
});
