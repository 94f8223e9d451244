import { describe, expect, it } from '@jest/globals';
import { complaintsOf, type StoreFacts } from '@cleveragents/checkpoint-domain';

const HEALTHY: StoreFacts = {
  corrupt: [],
  abandoned: [],
  settled: ['01JA'],
  recorded: ['01JA', 'a ref of the caller'],
  storedBytes: 10,
  budgetBytes: 10,
};

describe('a store of checkpoints', () => {
  it('that is as large as it may be is healthy', () => {
    expect(complaintsOf(HEALTHY)).toEqual([]);
  });

  it('is complained of for snapshots that no checkpoint names, unless a record that cannot be read may do so', () => {
    const facts: StoreFacts = { ...HEALTHY, recorded: [] };
    expect(complaintsOf(facts)).toEqual([{ kind: 'snapshots-forgotten', count: 1 }]);
    const unreadable = { ...facts, corrupt: [{ path: '/c/a.json', reason: 'cut off' }] };
    expect(complaintsOf(unreadable).map(({ kind }) => kind)).toEqual(['checkpoint-unreadable']);
  });

  it('is complained of for each record that cannot be read, each abandoned snapshot, and its size', () => {
    const facts: StoreFacts = {
      ...HEALTHY,
      corrupt: [{ path: '/c/a.json', reason: 'cut off' }],
      abandoned: [{ ref: '01JD', claimant: 'fix' }],
      storedBytes: 11,
    };
    expect(complaintsOf(facts)).toEqual([
      { kind: 'checkpoint-unreadable', path: '/c/a.json', reason: 'cut off' },
      { kind: 'snapshot-abandoned', ref: '01JD', planId: 'fix' },
      { kind: 'store-over-budget', storedBytes: 11, budgetBytes: 10 },
    ]);
  });
});
