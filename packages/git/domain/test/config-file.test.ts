import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasCode } from '@cleveragents/shared-kernel';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configBoolean, configInteger, parseGitConfig } from '../src/index.ts';
import { forEachArgument, RealRepository } from './support/real-git.ts';

/** `null` when the file is refused. */
function listed(text: string): readonly string[] | null {
  try {
    return parseGitConfig(text).map(({ name, value }) => (value === null ? name : `${name}\n${value}`));
  } catch (error) {
    if (hasCode(error, 'GIT_CONFIG_CORRUPT')) return null;
    throw error;
  }
}
const valueOf = <Value>(read: () => Value): Value | 'refused' => {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'GIT_CONFIG_VALUE_INVALID')) return 'refused';
    throw error;
  }
};

const PIECES = [
  '[a]',
  '[B "c"]',
  '[',
  ']',
  '"',
  '\\',
  '\\n',
  '\\\n',
  '\n',
  ' ',
  '\t',
  '=',
  '#',
  ';',
  'k',
  'V',
  '-',
  '.',
  '1',
  '\r\n',
  'k=v\n',
];
const TABLE = [
  '',
  '# only a comment',
  '[core]\n\tbare = false\n\trepositoryformatversion = 0\n',
  '[Core] Bare',
  '[a] b = c ; d\n',
  '[a] b = "c ; d" # e\n',
  '[a "B c"] KeY = v',
  '[a "q\\"u\\\\o\\te"] k = v',
  '[a.B.c] k = v',
  '[a ""] k = v',
  '[a ] k = v',
  '[a "b" ] k = v',
  '[a "b\n"] k = v',
  '[a]k=\\n\\t\\b\\"\\\\',
  '[a]k=one \\\n  two\\\n',
  '[a]k="one \\\n  two"',
  '[a]k="open\n',
  '[a]k=\\x',
  '[a]k=a   b  \n',
  '[a]k=a "  b  " c\n',
  '[a]\r\nk = v\r\n[b]\r\nk\r\n',
  '[a]k = v\rw\n',
  '[a]\n1k = v',
  '[a]\n-k = v',
  '[a]\nk-1 = v',
  '[a]\nk_1 = v',
  '[a b] k = v',
  '[a',
  '[]k=v',
  'k = v',
  '[ "x"] k = v',
  '[.] k = v',
  '[.a] k = v',
  '[a.] k = v',
  '[a]k v',
  '[a]k =',
  '[a]k = = =',
  '[a]k\t=\tv\t',
  '[include]\n path = ~/x\n[includeIf "gitdir:~/w/"]\n path = y\n',
  '[a]k=v # c\\\nl=w\n',
  '[a]k=v \\\n',
  '[a]k=v \\',
  '[a]k="v" "w"x\n',
  '[a]é=1',
  '[a "é😀"]k=é😀',
  '\ufeff[a]k=v',
  '[a];c\nk=v#d',
  '[a] [b] k = v',
  '[remote "origin"]\n\turl = git@example.invalid:x/y.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
];

describe('a configuration file', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  /** What `git config --list` prints for each text, `null` where it refuses; asked in one process. */
  function gitLists(texts: readonly string[]): readonly (readonly string[] | null)[] {
    texts.forEach((text, at) => repository.write(`samples/${at}`, text));
    const line = 'git config --list -z -f samples/$argument > samples/$argument.list 2>/dev/null; echo $?';
    const statuses = forEachArgument(
      line,
      texts.map((_, at) => String(at)),
      repository.folder,
    );
    return statuses.map((status, at) => {
      const output = readFileSync(join(repository.folder, `samples/${at}.list`), 'utf8');
      return status === '0' ? output.split('\0').slice(0, -1) : null;
    });
  }

  it('is read as git config --list reads it', () => {
    const answers = gitLists(TABLE);
    expect(TABLE.map((text) => [text, listed(text)])).toEqual(TABLE.map((text, at) => [text, answers[at]]));
  });

  it('is read as git does, whatever it holds', () => {
    const texts = fc
      .sample(fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }), { seed: 1, numRuns: 400 })
      .map((parts) => `[s]\n${parts.join('')}`);
    const answers = gitLists(texts);
    expect(texts.map((text) => [text, listed(text)])).toEqual(texts.map((text, at) => [text, answers[at]]));
  });

  it('gives section, subsection and key apart, and the line of a fault', () => {
    expect(parseGitConfig('[Remote "My.Origin"]\nURL = x\n[core]\nbare')).toEqual([
      { name: 'remote.My.Origin.url', section: 'remote', subsection: 'My.Origin', key: 'url', value: 'x' },
      { name: 'core.bare', section: 'core', subsection: null, key: 'bare', value: null },
    ]);
    expect(() => parseGitConfig('[a]\nk = v\n]')).toThrow('bad config line 3');
    expect(() => parseGitConfig('[a]\nk = "v\n')).toThrow('bad config line 2');
  });
});

describe('a value of the configuration', () => {
  const VALUES = [
    'true',
    'YES',
    'on',
    'false',
    'No',
    'off',
    '',
    '0',
    '1',
    '2',
    '-1',
    '0x10',
    '010',
    '1k',
    '1K',
    '2m',
    '1g',
    '3 ',
    ' 3',
    '+4',
    't',
    'truee',
    '1kb',
    '08',
    '0x',
    '4g',
    '-0',
    'k',
    '1.5',
    '9007199254740991',
    '2147483648',
    '2147483647',
    '-2147483648',
  ];

  it('is the boolean and the number that git takes it for', () => {
    const ask = (type: string): string =>
      `git -c "a.k=$argument" config --type=${type} a.k 2>/dev/null || echo refused`;
    const asked = (type: string): readonly string[] => forEachArgument(ask(type), VALUES);
    const own = (read: (value: string) => unknown): readonly string[] =>
      VALUES.map((value) => String(valueOf(() => read(value))));
    expect(own(configBoolean)).toEqual(asked('bool'));
    expect(own(configInteger)).toEqual(asked('int'));
  });

  it('that is missing is true, and no number', () => {
    expect(configBoolean(null)).toBe(true);
    expect(valueOf(() => configInteger(null))).toBe('refused');
  });
});
