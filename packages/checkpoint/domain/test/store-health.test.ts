import { describe, expect, it } from '@jest/globals';
import { complaintsOf, type SnapshotRecord, type StoreFacts } from '@cleveragents/checkpoint-domain';
import { parsePlanId } from '@cleveragents/shared-kernel';

const COVERAGE = { fileCount: 1, uncovered: [], uncoveredCount: 0 };
const OURS: SnapshotRecord = {
  checkpointId: 'C1',
  planId: parsePlanId('fix'),
  sandboxRef: '01JA',
  coverage: COVERAGE,
};
const OF_THE_CALLER: SnapshotRecord = {
  checkpointId: 'C2',
  planId: parsePlanId('fix'),
  sandboxRef: 'a ref of the caller',
};

const HEALTHY: StoreFacts = {
  corrupt: [],
  abandoned: [],
  settled: ['01JA'],
  recorded: [OURS, OF_THE_CALLER],
  missing: ['a ref of the caller'],
  damaged: [],
  keepsLeft: [],
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

  it('is complained of for each checkpoint whose snapshot is gone, or lacks something', () => {
    expect(complaintsOf({ ...HEALTHY, missing: ['01JA', 'a ref of the caller'] })).toEqual([
      { kind: 'snapshot-missing', checkpoint: OURS },
    ]);
    expect(complaintsOf({ ...HEALTHY, damaged: [{ ref: '01JA', missing: ['0123'] }] })).toEqual([
      { kind: 'snapshot-damaged', checkpoint: OURS, missing: ['0123'] },
    ]);
  });

  it('is complained of for what it left in the repository', () => {
    expect(complaintsOf({ ...HEALTHY, keepsLeft: ['tree-commit'] })).toEqual([
      { kind: 'keep-refs-left', refs: ['tree-commit'] },
    ]);
  });
});
