import assert from 'node:assert/strict';
// #region example
import { branchNameForPlan, findOverlaps, statusAfter } from '@cleveragents/sandbox-domain';

statusAfter('active', 'commit'); // 'committed'
branchNameForPlan('fix: the parser!'); // 'cleveragents/plan-fix-the-parser-'

// May this path be overwritten? Decided from facts alone: the user has work in it, so it may not.
const overlaps = findOverlaps([
  {
    path: 'src/parser.ts',
    before: {},
    after: {},
    index: 'before',
    disk: 'other',
    occupants: [],
    ignored: false,
    unwatched: false,
    blockedParent: null,
    collidesWith: null,
  },
]);
console.log(overlaps); // [ { path: 'src/parser.ts', reason: 'modified', other: null } ]
// #endregion

assert.deepEqual(overlaps, [{ path: 'src/parser.ts', reason: 'modified', other: null }]);
