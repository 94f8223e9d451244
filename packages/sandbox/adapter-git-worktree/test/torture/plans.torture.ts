import { describe, it } from '@jest/globals';
import { TORTURE_SAMPLE } from '@cleveragents/shared-testing';
import { strikePlans } from '../support/plan-campaign.ts';
import { PLAN_FLOWS } from '../support/plan-flows.ts';

const LONGEST_MS = 3_600_000;

describe.each(PLAN_FLOWS.map((flow) => [flow.name, flow] as const))('%s of a plan', (_name, flow) => {
  it(
    'ends right with the same command of another process, wherever it was killed',
    async () => {
      await strikePlans(flow, { kinds: ['kill-before', 'kill-during', 'kill-after'], ...TORTURE_SAMPLE });
    },
    LONGEST_MS,
  );

  it(
    'ends right with the same command of another process, whatever call the system refused',
    async () => {
      await strikePlans(flow, {
        kinds: ['error:EIO', 'error:EACCES', 'error-from:ENOSPC'],
        ...TORTURE_SAMPLE,
      });
    },
    LONGEST_MS,
  );
});
