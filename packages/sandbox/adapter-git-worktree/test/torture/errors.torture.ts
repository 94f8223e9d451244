import { describe, it } from '@jest/globals';
import { TORTURE_SAMPLE } from '@cleveragents/shared-testing';
import { strike } from '../support/flow-campaign.ts';
import { FLOWS } from '../support/flows.ts';

const LONGEST_MS = 3_600_000;

describe.each(FLOWS.map((flow) => [flow.name, flow] as const))('%s', (_name, flow) => {
  it(
    'is done or refused in our words, and whole, whatever call the system refuses',
    async () => {
      await strike(flow, {
        kinds: ['error:ENOSPC', 'error:EACCES', 'error:EIO', 'error-from:ENOSPC'],
        ...TORTURE_SAMPLE,
      });
    },
    LONGEST_MS,
  );

  it(
    'is done at the second try of the same process, when the system refuses one call',
    async () => {
      await strike(flow, { kinds: ['error:EIO', 'error:ENOSPC'], retries: true, ...TORTURE_SAMPLE });
    },
    LONGEST_MS,
  );
});
