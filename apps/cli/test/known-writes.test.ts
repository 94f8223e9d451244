import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PlanRecord } from '@cleveragents/sandbox-domain';
import { KnownWrites } from '../src/bridges/known-writes.ts';

let now: number;
let history: string[];
let work: string[];
let known: KnownWrites;

beforeEach(async () => {
  now = 1000;
  history = ['created'];
  work = ['tool a'];
  known = new KnownWrites({
    planId: 'p',
    plans: { show: async () => ({ history: [...history] }) as unknown as PlanRecord },
    records: { listWork: async () => work },
    now: () => now,
  });
  await known.changedPaths();
  known.captured(now);
  known.wrote(['a', 'b', 'a']);
  history.push('tool a');
  await known.remember();
});

describe('what a checkpoint has to look at', () => {
  it('is what the tools of this process wrote since the last one', async () => {
    expect(await known.changedPaths()).toEqual(['a', 'b']);
    known.captured(null);
    expect(await known.changedPaths()).toEqual([]);
  });

  it('is everything before the first one', async () => {
    known.forget();
    known.wrote(['a']);
    expect(await known.changedPaths()).toBeUndefined();
  });

  it.each<readonly [string, () => void]>([
    ['something else was done in the plan', () => history.push('command')],
    ['something else goes on in the plan', () => work.push('npm test')],
    ['a tool failed halfway', () => known.forget()],
    ['nothing has looked at everything for ten seconds', () => (now += 10_001)],
  ])('is everything when %s', async (_when, happen) => {
    happen();
    expect(await known.changedPaths()).toBeUndefined();
  });

  it('is everything when something else ended while a tool was at work', async () => {
    await known.changedPaths();
    known.captured(null);
    history.push('command', 'tool b');
    await known.remember();
    expect(await known.changedPaths()).toBeUndefined();
  });

  it('is everything again ten seconds after the last look at everything, whatever was taken in between', async () => {
    now += 6000;
    known.captured(null);
    now += 6000;
    expect(await known.changedPaths()).toBeUndefined();
    known.captured(now);
    now += 6000;
    expect(await known.changedPaths()).toEqual([]);
  });
});
