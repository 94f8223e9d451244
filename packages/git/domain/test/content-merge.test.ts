import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConflictStyle,
  type ContentMerge,
  type ContentMergeOptions,
  mergeContents,
} from '../src/index.ts';
import { forEachArgument, RealRepository } from './support/real-git.ts';
import { longText, textTriples } from './support/text-arbitraries.ts';

const AS_MERGE_FILE: ContentMergeOptions = {
  labels: { ours: 'ours', base: 'base', theirs: 'theirs' },
  algorithm: 'myers',
  joinAcrossPunctuation: true,
};
type TextTriple = readonly [string, string, string];
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const merged = (texts: TextTriple, options: ContentMergeOptions): string => {
  const result = mergeContents(bytes(texts[0]), bytes(texts[1]), bytes(texts[2]), options);
  return textOf(result);
};
const textOf = (result: ContentMerge): string =>
  result.kind === 'binary' ? 'binary' : `${result.kind}\n${Buffer.from(result.bytes).toString('latin1')}`;

describe('the merge of a file', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  /** What `git merge-file` makes of each triple, asked in one process. */
  function gitMerges(triples: readonly TextTriple[], style: ConflictStyle): readonly string[] {
    triples.forEach((triple, at) =>
      (['base', 'ours', 'theirs'] as const).forEach((name, part) =>
        repository.write(`${at}/${name}`, bytes(triple[part] ?? '')),
      ),
    );
    const flags = style === 'merge' ? '' : `--${style}`;
    const line = `cd $argument && git merge-file -p -q ${flags} -L ours -L base -L theirs ours base theirs > merged; echo $?; cd ..`;
    const statuses = forEachArgument(
      line,
      triples.map((_, at) => String(at)),
      repository.folder,
    );
    return statuses.map((status, at) => {
      const text = readFileSync(join(repository.folder, String(at), 'merged'), 'latin1');
      return `${status === '0' ? 'clean' : 'conflict'}\n${text}`;
    });
  }

  it.each<[ConflictStyle, number]>([
    ['merge', 500],
    ['diff3', 120],
    ['zdiff3', 120],
  ])('in the style %s is that of git merge-file, markers included', (style, numRuns) => {
    const triples = fc.sample(textTriples, { seed: 1, numRuns });
    const own = triples.map((triple) => merged(triple, { ...AS_MERGE_FILE, style }));
    expect(own).toEqual(gitMerges(triples, style));
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
      const edit = (offset: number): string => {
        const edited = (line: string, at: number): readonly string[] => {
          if ((at + offset) % 97 === 0) return [`${line} edited ${offset}`];
          return (at + offset) % 61 === 0 ? [] : [line];
        };
        return base.split('\n').flatMap(edited).join('\n');
      };
      const triples: readonly TextTriple[] = [
        [base, edit(5), edit(40)],
        [base, longText(seed + 7, size, distinct), edit(9)],
      ];
      expect(triples.map((triple) => merged(triple, AS_MERGE_FILE))).toEqual(gitMerges(triples, 'merge'));
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
