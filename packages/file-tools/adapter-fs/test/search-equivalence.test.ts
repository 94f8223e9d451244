import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  findRipgrep,
  JavaScriptTextSearcher,
  RipgrepTextSearcher,
} from '@cleveragents/file-tools-adapter-fs';
import type { SearchQuery } from '@cleveragents/file-tools-ports';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import { DiskRootedWorld } from '@cleveragents/shared-testing';
import { plantOddFiles } from './odd-files.ts';

const javascript = new JavaScriptTextSearcher({ maxFileBytes: 300_000 });
const ripgrep = new RipgrepTextSearcher({
  executable: (await findRipgrep()) ?? 'none',
  otherwise: { search: () => Promise.reject(new Error('ripgrep did not do it')) },
  averageBytes: 0,
  limits: { maxFileBytes: 300_000 },
});

const LITERALS = [
  'needle',
  'Needle',
  'need',
  'e',
  ' ',
  '  ',
  '\t',
  '.',
  '.*',
  '^',
  '$',
  '\\',
  '\\d',
  '\\n',
  '(',
  ')',
  '[a-z]',
  '{',
  '|',
  '+',
  '?',
  '--files',
  '--pre=sh',
  '-',
  '-e',
  '#',
  '"',
  "'",
  '`',
  '$&',
  '$(id)',
  '%',
  '/',
  './',
  '../',
  'é',
  'e\u0301',
  '€',
  '🙂',
  'ÿ',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\u202e',
  '\u001b[31m',
  'a\rb',
  '\r',
  'İ',
  'ß',
  'xyzzy nowhere',
];
const EXPRESSIONS = [
  'needle',
  '^needle',
  'needle$',
  '^$',
  '^.*$',
  '\\bneedle\\b',
  '\\d+',
  '\\D{5}',
  '\\w+\\s\\w+',
  '\\s$',
  '^\\s+',
  '[^a-z ]',
  '[\\u00e0-\\u00ff]',
  '\\p{Lu}',
  '\\p{Emoji_Presentation}',
  '\\u{1F642}',
  '.',
  '^.$',
  '(?<=need)le',
  '(?<!x)needle',
  'need(?=le)',
  'need(?!le)',
  '(e)\\1',
  '(?<two>ed).*\\k<two>',
  'a|b',
  '(?:ne|nee)d',
  'n.{2}d',
  'n.*?e',
  'x{2,}',
  '\\x41',
  '\\cA',
  '\\0',
  '\\t',
  '\\r',
  '[\\w-.]',
  '\\-',
  '\\/',
  '[.]',
  '[]',
  '[^]',
  '$^',
  '\\B',
  '\\S\\s\\S',
  '(|a)b',
  '\\.',
  '^(?!.*needle).+$',
  '(?:é|\\xeb)',
  'İ',
  '\\u2028',
  '[\\ud83d\\ude42]',
];

/** So many come first that threads read those which tell searchers apart. */
const CROWD = 300;

const query = (pattern: string, literal: boolean): SearchQuery => ({
  directory: '.',
  pattern,
  literal,
  context: 1,
  maxResults: 10_000,
});

describe.each([
  ['a corpus of odd files', 0, {}],
  ['odd files behind many others, which threads read', CROWD, {}],
  ['odd files behind many others, where no thread can read them', CROWD, { confinement: 'checked' as const }],
])('over %s', (_, crowd, options) => {
  let world: DiskRootedWorld;
  beforeAll(async () => {
    world = await DiskRootedWorld.open((root) => openRootedFileSystem(root, options));
    await plantOddFiles(world);
    for (let index = 0; index < crowd; index++)
      await world.plantFile(`sandbox/!/${index % 7}/${index}`, `nothing ${index}\n`);
  });
  afterAll(() => world.remove());

  it(`ripgrep and JavaScript find the same for ${LITERALS.length} literals`, async () => {
    expect(LITERALS).toHaveLength(50);
    let found = 0;
    for (const literal of LITERALS) {
      const expected = await javascript.search(query(literal, true), world.files);
      expect({ literal, ...(await ripgrep.search(query(literal, true), world.files)) }).toEqual({
        literal,
        ...expected,
      });
      expect(expected.skipped).toBeGreaterThan(2);
      found += expected.matches.length;
    }
    expect(found).toBeGreaterThan(1000);
  });

  it('they stop at the same match', async () => {
    for (const maxResults of [1, 2, 3, 5, 8, 13, 21]) {
      const limited = { ...query('e', true), maxResults };
      expect(await ripgrep.search(limited, world.files)).toEqual(
        await javascript.search(limited, world.files),
      );
    }
  });

  it(`${EXPRESSIONS.length} expressions mean what JavaScript means by them`, async () => {
    expect(EXPRESSIONS).toHaveLength(50);
    const lines = await linesOf(world);
    for (const source of EXPRESSIONS) {
      const expression = compiled(source);
      const expected = lines.flatMap(({ path, line, text }) => {
        const match = expression.exec(text);
        return match === null ? [] : [`${path}:${line}:${match.index + 1}`];
      });
      const { matches } = await javascript.search({ ...query(source, false), context: 0 }, world.files);
      const found = matches.map(({ path, line, column }) => `${path}:${line}:${column}`);
      expect({ source, found }).toEqual({ source, found: expected });
    }
  });
});

function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    // Expressions that are valid only without the flag.
    return new RegExp(source);
  }
}

/** Read and split by other means than the searchers have. */
async function linesOf({ files }: DiskRootedWorld): Promise<{ path: string; line: number; text: string }[]> {
  const lines: { path: string; line: number; text: string }[] = [];
  for await (const entry of files.walk('.', { recursive: true, maxEntries: 1e6, maxDepth: 64 })) {
    const bytes = Buffer.from(entry.read(300_001) ?? []);
    if (entry.type !== 'file' || bytes.length > 300_000) continue;
    const isUtf16 = /^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2));
    if (!isUtf16 && bytes.subarray(0, 8192).includes(0)) continue;
    const encoding = isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
    const split = new TextDecoder(encoding).decode(bytes).split('\n');
    if (split.at(-1) === '') split.pop();
    lines.push(
      ...split.map((text, index) => ({ path: entry.path, line: index + 1, text: text.replace(/\r$/, '') })),
    );
  }
  return lines;
}
