import { describe, expect, it } from '@jest/globals';
import { isUlid } from '@cleveragents/shared-kernel';
import { FixedClock, SeededIds, SteppingClock } from '@cleveragents/shared-testing';

describe('FixedClock', () => {
  it('stands still until it is moved, also backwards', () => {
    const clock = new FixedClock('2026-03-01T12:00:00Z');
    clock.now().setFullYear(1970);
    expect(clock.now().toISOString()).toBe('2026-03-01T12:00:00.000Z');
    clock.advance(-1000);
    expect(clock.now().toISOString()).toBe('2026-03-01T11:59:59.000Z');
    clock.set('2027-01-01T00:00:00Z');
    expect(clock.now().getUTCFullYear()).toBe(2027);
  });
});

describe('SteppingClock', () => {
  it('moves on with every look', () => {
    const clock = new SteppingClock('2026-01-01T00:00:00Z', 10);
    expect([clock.now(), clock.now(), clock.now()].map((instant) => instant.getUTCMilliseconds())).toEqual([
      0, 10, 20,
    ]);
  });
});

describe('SeededIds', () => {
  it('gives real ULIDs in ascending order, the same for the same seed, and never one of another seed', () => {
    const take = (ids: SeededIds): string[] => Array.from({ length: 1100 }, () => ids.next());
    const ids = take(new SeededIds(1));
    expect(ids.every(isUlid)).toBe(true);
    expect([...new Set(ids)].sort()).toEqual(ids);
    expect(take(new SeededIds(1))).toEqual(ids);
    expect(take(new SeededIds(2)).filter((id) => ids.includes(id))).toEqual([]);
  });
});
