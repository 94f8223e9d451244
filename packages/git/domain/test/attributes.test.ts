import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AttributeFile, attributesOf, parseAttributes } from '../src/index.ts';
import { RealRepository } from './support/real-git.ts';

const PATHS = [
  'a',
  'a.txt',
  'b.bin',
  'd/a',
  'd/a.txt',
  'd/e/a.txt',
  'd/e/f',
  'sp ace',
  'tab\there',
  '"q"',
  'é',
  '[x]',
  'd/[x]',
  'A.TXT',
  'ab',
  '-a',
  '!a',
  '*',
];
const PATTERNS = [
  '*',
  '*.txt',
  'a',
  'd/*',
  '/a',
  'd/**',
  '**/a.txt',
  'd/**/a.txt',
  '**/e/**',
  '?',
  '[ab]',
  '[!a]*',
  '[a-z].*',
  'd/',
  '"sp ace"',
  '"tab\\there"',
  '\\[x\\]',
  '"\\"q\\""',
  '"\\303\\251"',
  'é',
  '!a',
  '[[:alpha:]]',
  '[^a]',
  'd/e/?',
  '*e*',
  '/d/*/f',
  '**',
  'a**',
  '[]a]',
  '[\\]a]',
  '[a',
  '\\a',
  '*.*',
  '[[:upper:]]*',
  '**a',
  '/**/f',
  '[a-c-e]',
  '\\*',
  '\\',
];
const STATES = [
  'text',
  '-text',
  '!text',
  'text=auto',
  'eol=crlf',
  'eol=lf',
  'filter=lfs',
  'ident',
  'binary',
  '-binary',
  'merge=union',
  'working-tree-encoding=UTF-16',
  '-diff',
  'mine',
  'x=',
  '=x',
  '--a',
  'o.k_1',
];
const ASKED = [
  'text',
  'eol',
  'filter',
  'ident',
  'binary',
  'merge',
  'diff',
  'working-tree-encoding',
  'mine',
  'x',
  'o.k_1',
];

const ordinary = fc
  .tuple(
    fc.constantFrom(...PATTERNS),
    fc.array(fc.constantFrom(...STATES), { maxLength: 3 }),
    fc.constantFrom(' ', '\t', '  '),
  )
  .map(([pattern, states, space]) => [pattern, ...states].join(space));
const lines = fc.oneof(
  { weight: 8, arbitrary: ordinary },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '# comment',
      '  a text',
      '[attr]mine -text eol=lf',
      '[attr]b.d',
      '[attr]',
      '\ta -text\r',
      '[attr]bad! text',
      'a text # no comment',
      '"open text',
      '"a"text',
    ),
  },
);
const texts = fc.array(lines, { maxLength: 6 }).map((all) => all.join('\n'));

/** Only the root's file may define macros; git warns of others. */
const withoutMacros = (text: string): string => text.replaceAll('[attr]', 'attr');
const wordFor = (state: string | boolean | undefined): string => {
  if (state === undefined) return 'unspecified';
  return typeof state === 'string' ? state : state ? 'set' : 'unset';
};

describe('the attributes of a file', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  /** What `git check-attr` says of each path, as `path attribute` to state. */
  function gitSays(paths: readonly string[]): ReadonlyMap<string, string> {
    const input = paths.map((path) => `${path}\0`).join('');
    const output = repository.git(['check-attr', '--stdin', '-z', ...ASKED], input);
    const fields = output.toString('utf8').split('\0');
    const said = new Map<string, string>();
    for (let at = 0; at + 2 < fields.length; at += 3)
      said.set(`${fields[at]} ${fields[at + 1]}`, fields[at + 2] as string);
    return said;
  }

  function weSay(paths: readonly string[], files: readonly AttributeFile[]): ReadonlyMap<string, string> {
    const said = new Map<string, string>();
    for (const path of paths) {
      const attributes = attributesOf(path, files);
      for (const name of ASKED) said.set(`${path} ${name}`, wordFor(attributes.get(name)));
    }
    return said;
  }

  it('are those that git check-attr tells, whatever the patterns, with files in folders', () => {
    const drawn = fc.sample(fc.tuple(texts, texts), { seed: 1, numRuns: 300 });
    const own = drawn.map(([outer, inner], at) => {
      const folders = [`s${at}`, `s${at}/d`] as const;
      const contents = [outer, inner].map(withoutMacros);
      folders.forEach((folder, index) => repository.write(`${folder}/.gitattributes`, contents[index] ?? ''));
      const files = folders.map((folder, index) => ({
        folder,
        rules: parseAttributes(contents[index] ?? ''),
      }));
      return weSay(
        PATHS.map((path) => `s${at}/${path}`),
        files,
      );
    });
    const paths = drawn.flatMap((_, at) => PATHS.map((path) => `s${at}/${path}`));
    expect(new Map(own.flatMap((said) => [...said]))).toEqual(gitSays(paths));
  });

  it('are those that git check-attr tells, with macros and quotes', () => {
    fc.assert(
      fc.property(texts, texts, (root, inner) => {
        repository.write('.gitattributes', root);
        repository.write('d/.gitattributes', inner);
        const files = [
          { folder: '', rules: parseAttributes(root) },
          { folder: 'd', rules: parseAttributes(inner) },
        ];
        expect(weSay(PATHS, files)).toEqual(gitSays(PATHS));
      }),
      { numRuns: 50 },
    );
  });

  it('show which rule said so', () => {
    expect(parseAttributes('# c\n*.psd filter=lfs -text !diff\n[attr]lf text eol=lf\n"a b" ident\n')).toEqual(
      [
        {
          pattern: '*.psd',
          isMacro: false,
          attributes: new Map<string, unknown>([
            ['filter', 'lfs'],
            ['text', false],
            ['diff', null],
          ]),
        },
        {
          pattern: 'lf',
          isMacro: true,
          attributes: new Map<string, unknown>([
            ['text', true],
            ['eol', 'lf'],
          ]),
        },
        { pattern: 'a b', isMacro: false, attributes: new Map([['ident', true]]) },
      ],
    );
  });

  it('are found at once even where a pattern has many stars', () => {
    const rules = parseAttributes(`${'*a'.repeat(40)}b text\n${'**/'.repeat(40)}b text`);
    expect(attributesOf('a'.repeat(200), [{ folder: '', rules }]).size).toBe(0);
  });
});
