import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openJournal, processIdentity, type JournalEntry } from '@cleveragents/shared-adapter-fs';
import { SeededIds, SteppingClock, temporaryDirectory } from '@cleveragents/shared-testing';
import { strikeJournaledOperation } from './journal-campaign.ts';

const newDirectory = (): string => join(temporaryDirectory().path, 'private', 'journal');

/** The one entry that is pending, as another process reads it. */
async function onlyEntry(directory: string): Promise<JournalEntry> {
  const entries = await openJournal(directory).pending();
  expect(entries).toHaveLength(1);
  return entries[0] as JournalEntry;
}

const stepLogOf = (entry: JournalEntry): string => join(entry.folder, '..', 'steps.jsonl');

describe('a journal', () => {
  it('has no entries and makes no folder before something begins', async () => {
    const directory = newDirectory();
    expect(await openJournal(directory).pending()).toEqual([]);
    expect(existsSync(directory)).toBe(false);
  });

  it('shows others what was begun, how far it came, and whose it is', async () => {
    const directory = newDirectory();
    const ids = new SeededIds();
    const journal = openJournal(directory, { ids, clock: new SteppingClock('2026-01-01T00:00:00Z') });
    const begun = await journal.begin('apply', { planId: 'x', files: ['a', 'ü'] });
    await begun.record({ moved: 'a' });
    await begun.record('plain text\nof two lines');
    const read = await onlyEntry(directory);
    expect(read).toMatchObject({
      id: new SeededIds().next(),
      kind: 'apply',
      payload: { planId: 'x', files: ['a', 'ü'] },
      steps: [{ moved: 'a' }, 'plain text\nof two lines'],
      startedAt: new Date('2026-01-01T00:00:00Z'),
      owner: processIdentity(),
      folder: begun.folder,
    });
    expect(read.steps).toEqual(begun.steps);
    expect(read.isOwnerAlive()).toBe(true);
    expect(readdirSync(begun.folder)).toEqual([]);
  });

  it('forgets an entry and what was set aside when it is complete', async () => {
    const directory = newDirectory();
    const entry = await openJournal(directory).begin('apply', null);
    writeFileSync(join(entry.folder, 'set aside'), 'x');
    await entry.record(1);
    const first = entry.complete();
    await entry.complete();
    expect(readdirSync(directory)).toEqual([]);
    await first;
    await expect(entry.record(2)).rejects.toThrow(/is complete/);
  });

  it('lets whoever recovers go on with an entry and complete it', async () => {
    const directory = newDirectory();
    const begun = await openJournal(directory).begin('apply', null);
    await begun.record('before');
    const recovered = await onlyEntry(directory);
    await recovered.record('after');
    expect((await onlyEntry(directory)).steps).toEqual(['before', 'after']);
    await recovered.complete();
    await begun.complete();
    expect(await openJournal(directory).pending()).toEqual([]);
  });

  it('lists entries in the order they were begun, and ignores what is not its own', async () => {
    const directory = newDirectory();
    const journal = openJournal(directory, { durable: false });
    for (const kind of ['a', 'b', 'c']) await journal.begin(kind, 0);
    mkdirSync(join(directory, 'lost+found'));
    writeFileSync(join(directory, '.DS_Store'), '');
    expect((await journal.pending()).map(({ kind }) => kind)).toEqual(['a', 'b', 'c']);
  });

  it('keeps the order of steps that are recorded at once', async () => {
    const directory = newDirectory();
    const entry = await openJournal(directory, { durable: false }).begin('apply', null);
    const steps = Array.from({ length: 50 }, (_, step) => step);
    await Promise.all(steps.map((step) => entry.record(step)));
    expect((await onlyEntry(directory)).steps).toEqual(steps);
  });

  it('completes only after the steps that were being recorded', async () => {
    const directory = newDirectory();
    const entry = await openJournal(directory).begin('apply', null);
    const recorded = entry.record('step');
    await entry.complete();
    await recorded;
    expect(readdirSync(directory)).toEqual([]);
  });

  it('refuses what has no JSON form, before anything is written', async () => {
    const directory = newDirectory();
    await expect(openJournal(directory).begin('apply', undefined)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    expect(existsSync(directory)).toBe(false);
    const entry = await openJournal(directory).begin('apply', null);
    await expect(entry.record(() => 1)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await onlyEntry(directory)).steps).toEqual([]);
  });

  it('goes on after a step that could not be written', async () => {
    const directory = newDirectory();
    const entry = await openJournal(directory).begin('apply', null);
    await entry.record('one');
    renameSync(stepLogOf(entry), `${stepLogOf(entry)}.away`);
    mkdirSync(stepLogOf(entry));
    await expect(entry.record('two')).rejects.toMatchObject({ code: 'EISDIR' });
    renameSync(stepLogOf(entry), `${stepLogOf(entry)}.folder`);
    renameSync(`${stepLogOf(entry)}.away`, stepLogOf(entry));
    await entry.record('three');
    expect((await onlyEntry(directory)).steps).toEqual(['one', 'three']);
  });
});

describe('the step log', () => {
  it('reads back every step before the place where a crash tore it, and takes new ones there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.uint8Array({ maxLength: 20 }),
        async (steps, cut, garbage) => {
          const directory = newDirectory();
          const entry = await openJournal(directory, { durable: false }).begin('apply', null);
          const lengths = [0];
          for (const step of steps) {
            await entry.record(step);
            lengths.push(readFileSync(stepLogOf(entry)).length);
          }
          const length = cut % (readFileSync(stepLogOf(entry)).length + 1);
          truncateSync(stepLogOf(entry), length);
          appendFileSync(
            stepLogOf(entry),
            garbage.filter((byte) => byte !== 0x0a),
          );
          const whole = lengths.filter((end) => end <= length).length - 1;
          const read = await onlyEntry(directory);
          const expected = JSON.parse(JSON.stringify(steps.slice(0, whole))) as unknown[];
          expect(read.steps).toEqual(expected);
          await read.record('next');
          expect((await onlyEntry(directory)).steps).toEqual([...expected, 'next']);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not pass off damage in the middle as a crash', async () => {
    const directory = newDirectory();
    const entry = await openJournal(directory).begin('apply', null);
    for (const step of ['one', 'two', 'three', 'four']) await entry.record(step);
    const lines = readFileSync(stepLogOf(entry), 'utf8');
    writeFileSync(stepLogOf(entry), lines.replace('two', 'owt'));
    await expect(openJournal(directory).pending()).rejects.toMatchObject({
      code: 'JOURNAL_DAMAGED',
      hint: expect.stringContaining(entry.folder),
    });
    writeFileSync(stepLogOf(entry), lines.split('\n').toSpliced(1, 1).join('\n'));
    await expect(openJournal(directory).pending()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
  });

  it.each(['', '{', '[]', '{"kind":"apply","startedAt":"x","owner":{"pid":"1"}}'])(
    'tells of an entry whose intent is %j',
    async (intent) => {
      const directory = newDirectory();
      const entry = await openJournal(directory).begin('apply', null);
      writeFileSync(join(entry.folder, '..', 'intent.json'), intent);
      await expect(openJournal(directory).pending()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    },
  );
});

describe('an operation under a journal', () => {
  it('can be undone wherever it was killed or failed, and leaves nothing behind', async () => {
    const { undone, runs } = await strikeJournaledOperation({ sample: 20 });
    expect(undone).toBeGreaterThan(0);
    expect(undone).toBeLessThan(runs);
  });
});
