import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Checkpoint, checkpointDraft, prune, retentionPolicy } from '@cleveragents/checkpoint-domain';

const checkpoint = (sequence: number, more: Partial<Checkpoint> = {}): Checkpoint => ({
  ...checkpointDraft(
    { planId: 'plan', sandboxRef: `ref-${sequence}` },
    { checkpointId: `C${sequence}`, createdAt: new Date(0) },
  ),
  sequence,
  ...more,
});
const upTo = (count: number): Checkpoint[] => Array.from({ length: count }, (_, i) => checkpoint(i + 1));
const sequences = (checkpoints: readonly Checkpoint[]): number[] =>
  checkpoints.map(({ sequence }) => sequence);
const keep = (checkpoints: readonly Checkpoint[], maxCheckpoints: number): number[] =>
  sequences(prune(checkpoints, retentionPolicy({ maxCheckpoints })).kept);

describe('a retention policy', () => {
  it('keeps 50 and prunes by itself unless told otherwise', () => {
    expect(retentionPolicy()).toEqual({ maxCheckpoints: 50, autoPrune: true });
    expect(retentionPolicy({ maxCheckpoints: 5, autoPrune: false })).toEqual({
      maxCheckpoints: 5,
      autoPrune: false,
    });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses to keep %d', (maxCheckpoints) => {
    expect(() => retentionPolicy({ maxCheckpoints })).toThrow('max_checkpoints');
  });
});

describe('pruning', () => {
  it.each([
    [1, [5]],
    [2, [1, 5]],
    [5, [1, 2, 3, 4, 5]],
    [9, [1, 2, 3, 4, 5]],
  ])('five checkpoints at a maximum of %d keeps %j', (maximum, kept) => {
    expect(keep(upTo(5), maximum)).toEqual(kept);
  });

  it('drops 6 of 11 at a maximum of 5', () => {
    const { kept, pruned } = prune(upTo(11), retentionPolicy({ maxCheckpoints: 5 }));
    expect([kept.length, pruned.length]).toEqual([5, 6]);
  });

  it('drops nothing when it is switched off', () => {
    expect(prune(upTo(9), retentionPolicy({ maxCheckpoints: 1, autoPrune: false })).pruned).toEqual([]);
  });

  it('keeps pinned checkpoints and both ends of a rollback under way, beyond the maximum if need be', () => {
    const all = upTo(9).map((one) =>
      one.sequence === 4
        ? { ...one, pinned: true }
        : one.sequence === 8
          ? { ...one, rollback: { targetCheckpointId: 'C6', isUnderWay: true } }
          : one,
    );
    expect(keep(all, 2)).toEqual([1, 4, 6, 8, 9]);
  });

  it('keeps many recent ones and few old ones', () => {
    const kept = keep(upTo(1000), 20);
    expect(kept.filter((sequence) => sequence > 900).length).toBeGreaterThan(8);
    expect(kept.filter((sequence) => sequence < 500).length).toBeGreaterThan(1);
  });

  it('keeps the same shape when it runs after every create as when it runs once', () => {
    let stepwise: readonly Checkpoint[] = [];
    for (const next of upTo(1000))
      stepwise = prune([...stepwise, next], retentionPolicy({ maxCheckpoints: 20 })).kept;
    const once = keep(upTo(1000), 20);
    const ages = (kept: readonly number[]): number[] => kept.map((sequence) => Math.log2(1001 - sequence));
    const onceAges = ages(once);
    for (const [index, age] of ages(sequences(stepwise)).entries())
      expect(Math.abs(age - (onceAges[index] ?? 0))).toBeLessThan(2);
  });

  it('neither invents nor loses a checkpoint, keeps the ends, and obeys the maximum', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (numbers, maxCheckpoints) => {
          const all = numbers.map((sequence) => checkpoint(sequence));
          const { kept, pruned } = prune(all, retentionPolicy({ maxCheckpoints }));
          const ordered = numbers.toSorted((a, b) => a - b);
          expect(sequences([...kept, ...pruned]).sort((a, b) => a - b)).toEqual(ordered);
          expect(kept.length).toBe(Math.min(maxCheckpoints, all.length));
          expect(kept.at(-1)?.sequence).toBe(ordered.at(-1));
          if (maxCheckpoints > 1) expect(kept[0]?.sequence).toBe(ordered[0]);
          expect(prune(kept, retentionPolicy({ maxCheckpoints })).pruned).toEqual([]);
        },
      ),
    );
  });
});
