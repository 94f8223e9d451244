import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attributesOf, parseAttributes } from '../src/index.ts';
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

describe('the attributes of a file', () => {
  let repository: RealRepository;
  beforeAll(() => void (repository = new RealRepository()));
  afterAll(() => repository.remove());

  function gitSays(): Record<string, string> {
    const output = repository.git(
      ['check-attr', '--stdin', '-z', ...ASKED],
      PATHS.map((path) => `${path}\0`).join(''),
    );
    const fields = output.toString('utf8').split('\0').slice(0, -1);
    const said: Record<string, string> = {};
    for (let at = 0; at < fields.length; at += 3)
      said[`${fields[at]} ${fields[at + 1]}`] = fields[at + 2] as string;
    return said;
  }

  it('are those that git check-attr tells, with macros, quotes and folders', () => {
    fc.assert(
      fc.property(texts, texts, (root, inner) => {
        repository.write('.gitattributes', root);
        repository.write('d/.gitattributes', inner);
        const files = [
          { folder: '', rules: parseAttributes(root) },
          { folder: 'd', rules: parseAttributes(inner) },
        ];
        const ours: Record<string, string> = {};
        for (const path of PATHS) {
          const attributes = attributesOf(path, files);
          for (const name of ASKED) {
            const state = attributes.get(name);
            ours[`${path} ${name}`] =
              state === undefined
                ? 'unspecified'
                : typeof state === 'string'
                  ? state
                  : state
                    ? 'set'
                    : 'unset';
          }
        }
        expect(ours).toEqual(gitSays());
      }),
      { numRuns: 200 },
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
