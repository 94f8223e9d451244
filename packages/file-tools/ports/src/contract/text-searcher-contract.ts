import { deepStrictEqual, rejects } from 'node:assert/strict';
import type { Contract, ContractCase } from '@cleveragents/shared-kernel';
import type { RootedWorld } from '@cleveragents/shared-kernel/contract';
import type { SearchOutcome, SearchQuery, TextSearcher } from '../text-searcher.ts';

export interface TextSearcherSubject {
  readonly searcher: TextSearcher;
  /** The same with a deadline of a second or so. */
  readonly hasty: TextSearcher;
  readonly world: RootedWorld;
}

type Case = ContractCase<TextSearcherSubject>;

async function search(
  { searcher, world }: TextSearcherSubject,
  pattern: string,
  wishes: Partial<SearchQuery> = {},
): Promise<SearchOutcome> {
  const query = { directory: '.', pattern, literal: true, context: 0, maxResults: 100, ...wishes };
  return searcher.search(query, world.files);
}

async function places(
  subject: TextSearcherSubject,
  pattern: string,
  wishes: Partial<SearchQuery> = {},
): Promise<string[]> {
  const { matches } = await search(subject, pattern, wishes);
  return matches.map(({ path, line, column }) => `${path}:${line}:${column}`);
}

/** Each is run for plain text and for the expression that means the same. */
const ODD_FILES: readonly (readonly [string, string | Uint8Array, readonly string[]])[] = [
  ['empty', '', []],
  ['no-ending', 'needle', ['1:1']],
  ['endings', 'needle\nneedle\r\n\nx needle\n', ['1:1', '2:1', '4:3']],
  ['lone-returns', 'a\rneedle\rb\n', ['1:3']],
  ['twice-a-line', 'needle needle\n', ['1:1']],
  ['marked', '\ufeffneedle', ['1:1']],
  ['utf-16le', Uint8Array.from([0xff, 0xfe, ...unitsOf('needle\nneedle', true)]), ['1:1', '2:1']],
  ['utf-16be', Uint8Array.from([0xfe, 0xff, ...unitsOf('x needle', false)]), ['1:3']],
  ['late-nul', `needle\n${' '.repeat(9000)}\0\n`, ['1:1']],
  ['wide', '🙂é needle', ['1:5']],
];

/** UTF-16 without its mark. */
function unitsOf(text: string, littleEndian: boolean): number[] {
  return Array.from(text, (character) => {
    const unit = character.charCodeAt(0);
    return littleEndian ? [unit & 0xff, unit >> 8] : [unit >> 8, unit & 0xff];
  }).flat();
}

const finding: readonly Case[] = [
  {
    name: 'finds a line by its place, whatever the encoding and the line endings',
    async run(subject) {
      for (const [name, contents] of ODD_FILES) await subject.world.plantFile(`sandbox/${name}`, contents);
      const expected = ODD_FILES.flatMap(([name, , lines]) =>
        lines.map((place) => `${name}:${place}`),
      ).sort();
      for (const literal of [true, false])
        deepStrictEqual((await places(subject, 'needle', { literal })).sort(), expected);
    },
  },
  {
    name: 'finds a line beside bytes that are no text',
    async run(subject) {
      await subject.world.plantFile(
        'sandbox/broken',
        Uint8Array.of(0xff, 0x0a, 0x6e, 0x65, 0x65, 0x64, 0xfe, 0x0a),
      );
      for (const literal of [true, false])
        deepStrictEqual((await search(subject, 'need', { literal })).matches, [
          { path: 'broken', line: 2, column: 1, text: 'need\ufffd' },
        ]);
      deepStrictEqual(await places(subject, '\ufffd'), ['broken:1:1', 'broken:2:5']);
    },
  },
  {
    name: 'orders matches by path, then by line, and says when there are more',
    async run(subject) {
      for (const path of ['b', 'a/x', 'a-b', 'a.c', 'Z'])
        await subject.world.plantFile(`sandbox/${path}`, 'needle\nneedle\n');
      for (const literal of [true, false]) {
        const limited = async (maxResults: number): Promise<unknown> => {
          const { matches, truncated } = await search(subject, 'needle', { literal, maxResults });
          return [matches.map(({ path, line }) => `${path}:${line}`).join(' '), truncated];
        };
        deepStrictEqual(await limited(10), ['Z:1 Z:2 a-b:1 a-b:2 a.c:1 a.c:2 a/x:1 a/x:2 b:1 b:2', false]);
        deepStrictEqual(await limited(3), ['Z:1 Z:2 a-b:1', true]);
      }
    },
  },
  {
    name: 'gives the lines around a match',
    async run(subject) {
      await subject.world.plantFile('sandbox/file', '1\n2\r\nneedle\n4\n');
      for (const literal of [true, false])
        deepStrictEqual((await search(subject, 'needle', { literal, context: 2 })).matches, [
          { path: 'file', line: 3, column: 1, text: 'needle', before: ['1', '2'], after: ['4'] },
        ]);
    },
  },
  {
    name: 'searches a directory, and in it only what is included',
    async run(subject) {
      for (const path of ['src/a.ts', 'src/deep/b.ts', 'src/c.js', 'other/d.ts'])
        await subject.world.plantFile(`sandbox/${path}`, 'needle');
      for (const literal of [true, false]) {
        const found = (include: string): Promise<string[]> =>
          places(subject, 'needle', { literal, directory: 'src', include });
        deepStrictEqual(await found('*.ts'), ['src/a.ts:1:1', 'src/deep/b.ts:1:1']);
        deepStrictEqual(await found('deep/*'), ['src/deep/b.ts:1:1']);
      }
    },
  },
  {
    name: 'takes literals literally, also those that look like flags or expressions',
    async run(subject) {
      const literals = [
        '--files',
        '--pre=sh',
        '-e',
        'a.b',
        '(',
        '\\d',
        '$&',
        '^x$',
        '[',
        '*',
        '\t',
        ' ',
        '# !',
        '\\',
      ];
      await subject.world.plantFile('sandbox/file', `${literals.join('\n')}\naxb\n`);
      for (const [index, literal] of literals.entries()) {
        const [first] = await places(subject, literal);
        const line = literals.findIndex((each) => each.includes(literal));
        deepStrictEqual(first?.split(':').at(1), `${Math.min(line, index) + 1}`, literal);
      }
    },
  },
];

const leavingOut: readonly Case[] = [
  {
    name: 'counts binary files, and leaves them out',
    async run(subject) {
      await subject.world.plantFile('sandbox/a-binary', 'needle\0');
      await subject.world.plantFile('sandbox/b-binary', '\0');
      await subject.world.plantFile('sandbox/text', 'needle');
      for (const literal of [true, false]) {
        const { matches, skipped } = await search(subject, 'needle', { literal });
        deepStrictEqual([matches.map(({ path }) => path), skipped], [['text'], 2]);
      }
    },
  },
  {
    name: 'follows no link, and enters neither .git nor another work tree; ignore files mean nothing to it',
    async run(subject) {
      const { world } = subject;
      await world.plantFile('outside/secret', 'needle');
      await world.plantLink('sandbox/link', '../outside');
      await world.plantLink('sandbox/file-link', '../outside/secret');
      for (const path of ['.git/config', 'nested/file', 'nested/deep/file', '.hidden/file', 'ignored'])
        await world.plantFile(`sandbox/${path}`, 'needle');
      await world.plantFile('sandbox/nested/.git', 'gitdir: elsewhere');
      await world.plantFile('sandbox/.gitignore', 'ignored');
      await world.plantFile('sandbox/.rgignore', 'ignored');
      for (const literal of [true, false])
        deepStrictEqual(await places(subject, 'needle', { literal }), ['.hidden/file:1:1', 'ignored:1:1']);
    },
  },
  {
    name: 'refuses a start that is no directory of the root',
    async run(subject) {
      await subject.world.plantFile('sandbox/file', 'x');
      await subject.world.plantLink('sandbox/link', '..');
      const refusals = {
        file: 'NOT_A_DIRECTORY',
        missing: 'FILE_NOT_FOUND',
        link: 'PATH_TRAVERSAL',
        '..': 'PATH_TRAVERSAL',
      };
      for (const [directory, code] of Object.entries(refusals))
        for (const literal of [true, false])
          await rejects(
            search(subject, 'x', { directory, literal }),
            (error: { code?: string }) => error.code === code,
          );
    },
  },
];

const enduring: readonly Case[] = [
  {
    name: 'gives expressions the meaning that JavaScript gives them, line by line',
    async run(subject) {
      const lines = ['function go() {', '\treturn 42;', '}', 'año 2026', 'x-y_z', 'aa bb aa', ''];
      await subject.world.plantFile('sandbox/file', lines.join('\n'));
      const expressions = [
        '^\\w+',
        '\\d{2,}$',
        '(?<=n )\\d+',
        '(?!f)[a-z]o',
        '(\\w)\\1',
        '\\p{L}ñ',
        '^$',
        '[^a-z]+$',
        '\\bgo\\b',
        'A|y_',
      ];
      for (const source of expressions) {
        const expected = lines.flatMap((line, index) => {
          const match = new RegExp(source, 'u').exec(line);
          return match === null || (line === '' && index === lines.length - 1)
            ? []
            : [`file:${index + 1}:${match.index + 1}`];
        });
        deepStrictEqual(await places(subject, source, { literal: false }), expected, source);
      }
    },
  },
  {
    name: 'refuses what is no expression, and literals that no line holds',
    async run(subject) {
      for (const [pattern, literal] of [
        ['(', false],
        ['a{2,1}', false],
        ['a\nb', true],
      ] as const)
        await rejects(
          search(subject, pattern, { literal }),
          (error: { code?: string }) => error.code === 'PATTERN_INVALID',
        );
    },
  },
  {
    name: 'ends an expression that takes exponential time, says so, and goes on to answer',
    async run({ hasty, world }) {
      const subject = { searcher: hasty, hasty, world };
      await world.plantFile('sandbox/trap', `${'a'.repeat(60)}!\n`);
      for (const source of ['^(a+)+$', '(a|aa)+$'])
        await rejects(
          search(subject, source, { literal: false }),
          (error: { code?: string; message?: string }) =>
            error.code === 'SEARCH_TIMEOUT' && error.message?.includes('second') === true,
        );
      deepStrictEqual(await places(subject, 'a+!', { literal: false }), ['trap:1:1']);
    },
  },
  {
    name: 'ends in time also where each name takes long to compare with the files to include',
    async run({ hasty, world }) {
      const subject = { searcher: hasty, hasty, world };
      const [folder, slow] = ['a'.repeat(16), `${'*a'.repeat(8)}/`];
      for (let index = 0; index < 80; index++)
        await world.plantFile(`sandbox/${`${folder}/`.repeat(60)}${'a'.repeat(180)}${index}`, 'needle');
      const others = Array.from({ length: 100 }, (_, index) => String.fromCharCode(0x4e00 + index));
      const include = `**/${slow.repeat(30)}b{${others.join(',')}}`;
      for (const literal of [true, false])
        await rejects(
          search(subject, 'needle', { literal, include }),
          (error: { code?: string }) => error.code === 'SEARCH_TIMEOUT',
        );
    },
  },
  {
    name: 'ends when its caller no longer wants an answer',
    async run(subject) {
      await subject.world.plantFile('sandbox/trap', `${'a'.repeat(60)}!\n`);
      for (const literal of [true, false]) {
        const signal = AbortSignal.abort(new Error('enough'));
        await rejects(search(subject, 'a', { literal, signal }), /enough/);
      }
      const later = new AbortController();
      const running = search(subject, '^(a+)+$', { literal: false, signal: later.signal });
      setTimeout(() => later.abort(new Error('enough')), 20);
      await rejects(running, /enough/);
    },
  },
];

export const textSearcherContract: Contract<TextSearcherSubject> = {
  name: 'TextSearcher',
  cases: [...finding, ...leavingOut, ...enduring],
};
