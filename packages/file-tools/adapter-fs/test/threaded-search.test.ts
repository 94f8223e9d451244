import { readdirSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { JavaScriptTextSearcher } from '@cleveragents/file-tools-adapter-fs';
import type { SearchOutcome, SearchQuery } from '@cleveragents/file-tools-ports';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import { DiskRootedWorld } from '@cleveragents/shared-testing';

const FOLDERS = 40;
const FILES = 800;

let world: DiskRootedWorld;
beforeEach(async () => {
  world = await DiskRootedWorld.open(openRootedFileSystem);
});
afterEach(() => world.remove());

const place = (index: number): string => `${index % FOLDERS}/deep/${index}.txt`;

async function plantMany(textOf: (index: number) => string): Promise<void> {
  for (let index = 0; index < FILES; index++) await world.plantFile(`sandbox/${place(index)}`, textOf(index));
}

function search(
  pattern: string,
  wishes: Partial<SearchQuery> = {},
  deadlineMs = 60_000,
): Promise<SearchOutcome> {
  const query = { directory: '.', pattern, literal: false, context: 0, maxResults: 10_000, ...wishes };
  return new JavaScriptTextSearcher({ deadlineMs }).search(query, world.files);
}

/** What this process still has open of the root. */
function held(): readonly string[] {
  const root = world.absolute('sandbox');
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const link = readlinkSync(`/proc/self/fd/${name}`);
      return link.startsWith(root) ? [link] : [];
    } catch {
      // The one by which the folder was listed.
      return [];
    }
  });
}

describe('a search that threads share', () => {
  it.each([true, false])(
    'answers in the order of the paths, with the lines around (literal: %s)',
    async (literal) => {
      await plantMany((index) => `first\nbefore é\nneedle ${index}\nafter\nlast\n`);
      const { matches, truncated } = await search('needle', { literal, context: 1 });
      const expected = Array.from({ length: FILES }, (_, index) => ({
        path: place(index),
        line: 3,
        column: 1,
        text: `needle ${index}`,
        before: ['before é'],
        after: ['after'],
      })).sort((one, other) => (one.path < other.path ? -1 : 1));
      expect({ matches, truncated }).toEqual({ matches: expected, truncated: false });
    },
  );

  it.each([true, false])('holds nothing open when it has found enough (literal: %s)', async (literal) => {
    await plantMany(() => 'a needle\nanother needle\n');
    for (const maxResults of [1, 100, 700]) {
      const { matches, truncated } = await search('needle', { literal, maxResults });
      expect({ found: matches.length, truncated }).toEqual({ found: maxResults, truncated: true });
      expect(held()).toEqual([]);
    }
  });

  it('holds nothing open when it was stopped, and the next one works', async () => {
    await plantMany((index) => (index % 50 === 49 ? `${'a'.repeat(60)}!\n` : 'a\n'));
    await expect(search('^(a+)+$', {}, 1000)).rejects.toMatchObject({ code: 'SEARCH_TIMEOUT' });
    expect(held()).toEqual([]);
    const controller = new AbortController();
    const running = search('^(a|aa)+$', { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(running).rejects.toThrow('enough');
    expect(held()).toEqual([]);
    expect((await search('a+!')).matches).toHaveLength(16);
  });

  it('answers bit by bit where much is found', async () => {
    const text = `é ${'x'.repeat(98)}\n`.repeat(5000);
    for (let index = 0; index < 60; index++) await world.plantFile(`sandbox/${index}`, text);
    const { matches } = await search('^é', { maxResults: 1_000_000 });
    expect(matches).toHaveLength(60 * 5000);
    expect(held()).toEqual([]);
  });
});
