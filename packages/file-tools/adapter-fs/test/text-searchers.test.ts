import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  createTextSearcher,
  findRipgrep,
  JavaScriptTextSearcher,
  RipgrepTextSearcher,
} from '@cleveragents/file-tools-adapter-fs';
import type { TextSearcher } from '@cleveragents/file-tools-ports';
import { textSearcherContract, type TextSearcherSubject } from '@cleveragents/file-tools-ports/contract';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import {
  DiskRootedWorld,
  InMemoryRootedWorld,
  runContract,
  temporaryDirectory,
} from '@cleveragents/shared-testing';

const hastyLimits = { deadlineMs: 1000 };
const [inJavaScript, hasty] = [new JavaScriptTextSearcher(), new JavaScriptTextSearcher(hastyLimits)];
const onDisk = async (
  searcher: TextSearcher,
  hastyOne: TextSearcher = hasty,
): Promise<TextSearcherSubject> => ({
  searcher,
  hasty: hastyOne,
  world: await DiskRootedWorld.open(openRootedFileSystem),
});
const close = ({ world }: TextSearcherSubject): Promise<void> => (world as DiskRootedWorld).remove();

describe('in JavaScript, in memory', () => {
  runContract(textSearcherContract, {
    open: () => ({ searcher: inJavaScript, hasty, world: new InMemoryRootedWorld() }),
  });
});

describe('in JavaScript, on disk', () => {
  runContract(textSearcherContract, { open: () => onDisk(inJavaScript), close });
});

const executable = (await findRipgrep()) ?? 'none';
describe('with ripgrep, on disk', () => {
  it('is there, as an optional package at least', () => {
    expect(executable).not.toBe('none');
  });
  runContract(textSearcherContract, {
    open: () =>
      onDisk(
        new RipgrepTextSearcher({ executable, otherwise: inJavaScript, averageBytes: 0 }),
        new RipgrepTextSearcher({ executable, otherwise: hasty, averageBytes: 0, limits: hastyLimits }),
      ),
    close,
  });
});

describe('with ripgrep, where files are', () => {
  const otherwise = { search: () => Promise.reject(new Error('the other one was asked')) };
  const query = { directory: '.', pattern: 'needle', literal: true, context: 0, maxResults: 10 };

  it.each([
    ['small', 1000, false],
    ['large', 200_000, true],
  ])('%s, the faster one is asked', async (_, bytes, isRipgrepAsked) => {
    const subject = await onDisk(new RipgrepTextSearcher({ executable, otherwise }));
    for (const name of ['a', 'b', 'c'])
      await subject.world.plantFile(`sandbox/${name}`, 'needle\n'.padEnd(bytes));
    const found = subject.searcher.search(query, subject.world.files);
    if (isRipgrepAsked) expect((await found).matches).toHaveLength(3);
    else await expect(found).rejects.toThrow('the other one was asked');
    await close(subject);
  });
});

describe('where ripgrep does not work', () => {
  it('JavaScript takes over', async () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'rg'), '#!/bin/sh\necho ./file\nexit 2\n', { mode: 0o755 });
    for (const broken of [join(path, 'rg'), '/nowhere/rg']) {
      const order = { executable: broken, otherwise: inJavaScript, averageBytes: 0 };
      const subject = await onDisk(new RipgrepTextSearcher(order));
      await subject.world.plantFile('sandbox/file', 'needle');
      const query = { directory: '.', pattern: 'needle', literal: true, context: 0, maxResults: 10 };
      const { matches } = await subject.searcher.search(query, subject.world.files);
      expect(matches.map(({ path: found }) => found)).toEqual(['file']);
      await close(subject);
    }
  });

  it('is not mistaken for another program of that name', async () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'rg'), '#!/bin/sh\necho another\n', { mode: 0o755 });
    expect(await findRipgrep(path)).toBe(await findRipgrep(''));
  });

  it('is looked for in the PATH, and then among the packages', async () => {
    expect(await findRipgrep('')).toBe(await findRipgrep('/nowhere:relative'));
    expect(await createTextSearcher()).toBeDefined();
  });
});
