import assert from 'node:assert/strict';
import type { Correction } from '@cleveragents/checkpoint-domain';
import { type Contract, parsePlanId } from '@cleveragents/shared-kernel';
import type { CorrectionLog } from '../correction-log.ts';

const PLAN = parsePlanId('plan/../one\n');

function correction(number: number, more: Partial<Correction> = {}): Correction {
  return {
    correctionId: `01ARZ3NDEKTSV4RRFFQ6${String(number).padStart(6, '0')}`,
    planId: PLAN,
    decisionId: 'decision',
    mode: 'append',
    guidance: 'try again,\nwith "care"',
    checkpointId: 'C',
    correctedAt: '1970-01-01T00:00:00.000Z',
    ...more,
  };
}

/** The subject is an empty log. */
export const correctionLogContract: Contract<CorrectionLog> = {
  name: 'CorrectionLog',
  cases: [
    {
      name: 'lists what was recorded, in that order, plan by plan',
      run: async (log) => {
        const first = correction(2, { mode: 'revert', safetyCheckpointId: 'S' });
        await log.record(first);
        await log.record(correction(1));
        await log.record(correction(3, { planId: parsePlanId('other') }));
        assert.deepEqual(await log.listByPlan(PLAN), [first, correction(1)]);
        assert.deepEqual(await log.listByPlan(parsePlanId('unknown')), []);
      },
    },
    {
      name: 'loses none of many recorded at once',
      run: async (log) => {
        const numbers = Array.from({ length: 20 }, (_, at) => at);
        await Promise.all(numbers.map((number) => log.record(correction(number))));
        assert.equal((await log.listByPlan(PLAN)).length, 20);
      },
    },
  ],
};
