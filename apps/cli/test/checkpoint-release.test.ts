import { describe, expect, it } from '@jest/globals';
import type { Checkpoint } from '@cleveragents/checkpoint-domain';
import type { PlanRecord } from '@cleveragents/sandbox-domain';
import { releaseOverPlans } from '../src/commands/checkpoint-release.ts';

const NOW = new Date('2026-03-31T00:00:00Z');
const OLD = '2026-02-01T00:00:00.000Z';
const YOUNG = '2026-03-20T00:00:00.000Z';

interface Facts {
  readonly status?: string;
  readonly sandbox?: string;
  readonly endedAt?: string;
  readonly newest?: string | null;
}

async function released(facts: Facts, atOnce: boolean): Promise<readonly string[]> {
  const { status = 'applied', sandbox = 'cleaned_up', endedAt = OLD, newest = OLD } = facts;
  const plan = { planId: 'p', status, sandbox: { status: sandbox }, history: [{ at: endedAt }] };
  const checkpoint = { createdAt: newest } as Checkpoint;
  const bench = {
    clock: { now: () => NOW },
    plans: { list: async () => ({ plans: [plan as unknown as PlanRecord] }) },
    checkpoints: {
      listCheckpoints: async () => (newest === null ? [] : [checkpoint]),
      releasePlan: async () => ({ released: [checkpoint], freedBytes: 7 }),
    },
  };
  const { planIds } = await releaseOverPlans(bench as never, { atOnce });
  return planIds;
}

describe('the checkpoints of a plan', () => {
  it.each<[string, Facts, boolean, boolean]>([
    ['that was applied long ago', {}, true, true],
    ['that was closed long ago', { status: 'closed' }, true, true],
    ['that ended a few days ago', { endedAt: YOUNG }, false, true],
    ['whose last checkpoint is a few days old', { newest: YOUNG }, false, true],
    ['that is open', { status: 'open' }, false, false],
    ['that was taken back to its base, to go on', { status: 'rolled_back', sandbox: 'active' }, false, false],
    ['that has none', { newest: null }, false, false],
  ])('%s: released after 30 days, released at once', async (_plan, facts, later, atOnce) => {
    expect((await released(facts, false)).length > 0).toBe(later);
    expect((await released(facts, true)).length > 0).toBe(atOnce);
  });
});
