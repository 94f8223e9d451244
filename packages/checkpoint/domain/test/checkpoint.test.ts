import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  changedCheckpoint,
  type Checkpoint,
  CHECKPOINT_TYPES,
  checkpointDraft,
  checkpointFromStored,
  checkpointToStored,
  guardRollback,
  rollbackResult,
  validateUlidField,
} from '@cleveragents/checkpoint-domain';

const origin = { checkpointId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', createdAt: new Date(0) };
const asked = { planId: 'any plan', sandboxRef: 'abc123' };
const draft = (more: object = {}): Checkpoint => ({
  ...checkpointDraft({ ...asked, ...more }, origin),
  sequence: 1,
});

describe('a checkpoint draft', () => {
  it('is manual and says nothing that was not said', () => {
    expect(checkpointDraft(asked, origin)).toEqual({
      checkpointId: origin.checkpointId,
      planId: 'any plan',
      sandboxRef: 'abc123',
      createdAt: '1970-01-01T00:00:00.000Z',
      checkpointType: 'manual',
      metadata: {},
    });
  });

  it.each([
    [{ planId: '' }, 'plan_id cannot be empty'],
    [{ sandboxRef: '' }, 'sandbox_ref cannot be empty'],
    [{ decisionId: '' }, 'decision_id cannot be empty'],
    [{ sizeBytes: -1 }, 'size_bytes must be a whole number of bytes, 0 or more'],
    [{ sizeBytes: 0.5 }, 'size_bytes must be a whole number of bytes, 0 or more'],
  ])('refuses %j: %s', (more, message) => {
    expect(() => draft(more)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED', message }));
  });

  it('refuses an unknown type and names those there are', () => {
    expect(() => draft({ checkpointType: 'invalid_type' })).toThrow(/pre_write.*not "invalid_type"/);
    for (const checkpointType of CHECKPOINT_TYPES)
      expect(draft({ checkpointType })).toMatchObject({ checkpointType });
  });

  it('has one rule for ids of callers', () => {
    expect(validateUlidField('01DEC1S10N')).toBe('01DEC1S10N');
    expect(() => validateUlidField('')).toThrow('ULID field must not be empty');
  });
});

describe('a change of a checkpoint', () => {
  it('leaves what it does not name', () => {
    const rollback = { targetCheckpointId: 'T', isUnderWay: true };
    const over = { ...rollback, isUnderWay: false };
    const running = { ...draft({ pinned: true }), rollback };
    expect(changedCheckpoint(running, {})).toEqual(running);
    expect(changedCheckpoint(running, { isRollbackUnderWay: false })).toEqual({ ...running, rollback: over });
    expect(changedCheckpoint(running, { pinned: false })).toEqual({ ...draft(), rollback });
    expect(changedCheckpoint(draft(), { isRollbackUnderWay: false })).toEqual(draft());
  });
});

describe('a stored checkpoint', () => {
  it('reads back as it was written, for every checkpoint', () => {
    const filled = fc.string({ minLength: 1 });
    const text = fc.option(fc.string(), { nil: undefined });
    const arbitrary = fc.record({
      planId: filled,
      sandboxRef: filled,
      reason: text,
      sourceTool: text,
      phase: text,
      decisionId: fc.option(filled, { nil: undefined }),
      sizeBytes: fc.option(fc.nat(), { nil: undefined }),
      pinned: fc.boolean(),
      checkpointType: fc.constantFrom(...CHECKPOINT_TYPES),
    });
    fc.assert(
      fc.property(arbitrary, (values) => {
        const checkpoint = draft(values);
        const stored: unknown = JSON.parse(JSON.stringify(checkpointToStored(checkpoint)));
        expect(checkpointFromStored(stored)).toEqual(checkpoint);
      }),
    );
  });

  it('speaks snake_case', () => {
    expect(checkpointToStored(draft({ sourceTool: 'lint', decisionId: 'D' }))).toMatchObject({
      schema_version: 1,
      plan_id: 'any plan',
      sandbox_ref: 'abc123',
      checkpoint_type: 'manual',
      decision_id: 'D',
      metadata: { source_tool: 'lint' },
    });
  });

  it('of a later version is refused rather than guessed at', () => {
    expect(() => checkpointFromStored({ ...checkpointToStored(draft()), schema_version: 2 })).toThrow();
  });
});

describe('the guard of a rollback', () => {
  const checkpoint = draft();
  const facts = { planId: checkpoint.planId, checkpoint, isApplied: false, sandboxPath: '/sandbox' };
  const other = { ...checkpoint, planId: 'other' as Checkpoint['planId'] };

  it('lets pass what nothing forbids', () => {
    expect(guardRollback(facts)).toBe('/sandbox');
  });

  it.each([
    ['plan is already applied', { isApplied: true, sandboxPath: null, checkpoint: other }],
    ['sandbox is missing', { sandboxPath: null, checkpoint: other }],
    ['does not belong to plan', { checkpoint: other }],
  ])('says first: %s', (message, change) => {
    expect(() => guardRollback({ ...facts, ...change })).toThrow(message);
  });
});

describe('a rollback result', () => {
  it('counts what it names', () => {
    expect(rollbackResult({ fromCheckpointId: 'C', restoredFiles: ['b', 'a', 'c'] })).toEqual({
      fromCheckpointId: 'C',
      restoredFilesCount: 3,
      restoredFiles: ['a', 'b', 'c'],
      keptFiles: [],
      safetyCheckpointId: null,
    });
    expect(() => rollbackResult({ fromCheckpointId: 'C', restoredFiles: [], restoredFilesCount: 1 })).toThrow(
      'restored_files_count',
    );
  });
});
