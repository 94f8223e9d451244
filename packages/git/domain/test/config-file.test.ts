import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasCode } from '@cleveragents/shared-kernel';
import fc from 'fast-check';
import { configBoolean, configInteger, parseGitConfig } from '../src/index.ts';
import { RealRepository } from './support/real-git.ts';

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

  function gitLists(text: string): readonly string[] | null {
    const path = repository.write('sample', text);
    const { status, stdout } = repository.run(['config', '--list', '-z', '-f', path]);
    return status === 0 ? stdout.toString('utf8').split('\0').slice(0, -1) : null;
  }

  it.each(TABLE)('is read as git config --list does: %j', (text) => {
    expect(listed(text)).toEqual(gitLists(text));
  });

  it('is read as git does, whatever it holds', () => {
    const pieces = [
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
    const texts = fc
      .array(fc.constantFrom(...pieces), { maxLength: 14 })
      .map((parts) => `[s]\n${parts.join('')}`);
    fc.assert(
      fc.property(texts, (text) => {
        expect(listed(text)).toEqual(gitLists(text));
      }),
      { numRuns: 250 },
    );
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
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

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

  it.each(VALUES)('%j is the boolean and the number that git takes it for', (value) => {
    const path = repository.write('sample', `[a]\nk = "${value}"\n`);
    const asked = (type: string): string => {
      const { status, stdout } = repository.run(['config', '-f', path, `--type=${type}`, 'a.k']);
      return status === 0 ? stdout.toString().trim() : 'refused';
    };
    expect(String(valueOf(() => configBoolean(value)))).toBe(asked('bool'));
    expect(String(valueOf(() => configInteger(value)))).toBe(asked('int'));
  });

  it('that is missing is true, and no number', () => {
    expect(configBoolean(null)).toBe(true);
    expect(valueOf(() => configInteger(null))).toBe('refused');
  });
});
