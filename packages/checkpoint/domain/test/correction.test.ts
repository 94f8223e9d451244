import { describe, expect, it } from '@jest/globals';
import { parsePlanId } from '@cleveragents/shared-kernel';
import { alignedCheckpoint, type Checkpoint, checkpointDraft } from '@cleveragents/checkpoint-domain';

const planId = parsePlanId('plan');
const checkpoint = (sequence: number, checkpointId: string, decisionId?: string): Checkpoint => ({
  ...checkpointDraft({ planId, sandboxRef: 'ref', decisionId }, { checkpointId, createdAt: new Date(0) }),
  sequence,
});

describe('the checkpoint of a decision', () => {
  it('is the oldest aligned with it: the state before the decision took effect', () => {
    const all = [checkpoint(3, 'C3', 'D'), checkpoint(1, 'C1'), checkpoint(2, 'C2', 'D')];
    expect(alignedCheckpoint(all, planId, 'D').checkpointId).toBe('C2');
  });

  it('that is missing names the nearest earlier one', () => {
    const ulid = (time: string): string => `01ARZ3NDE${time}TSV4RRFFQ69G5FAV`;
    const all = [checkpoint(1, ulid('A')), checkpoint(2, ulid('C')), checkpoint(3, ulid('E'))];
    const nearest = (decisionId: string, checkpoints = all): unknown => {
      try {
        return alignedCheckpoint(checkpoints, planId, decisionId);
      } catch (error) {
        return error;
      }
    };
    expect(nearest(ulid('D'))).toMatchObject({
      code: 'CORRECTION_CHECKPOINT_MISSING',
      data: { nearestCheckpointId: ulid('C') },
    });
    expect(nearest('my decision')).toMatchObject({ data: { nearestCheckpointId: ulid('E') } });
    expect(nearest('my decision', [])).toMatchObject({ data: { nearestCheckpointId: null } });
  });
});
