import { describe, expect, it } from '@jest/globals';
import { TORTURE_SAMPLE } from '@cleveragents/shared-testing';
import { strike } from '../support/copy-campaign.ts';
import { COPY_FLOWS } from '../support/copy-flows.ts';

const LONGEST_MS = 3_600_000;

describe.each(COPY_FLOWS.map((flow) => [flow.name, flow] as const))('%s', (_name, flow) => {
  it(
    'is whole after the next command, wherever its process was killed',
    async () => {
      const report = await strike(flow, {
        kinds: ['kill-before', 'kill-during', 'kill-after'],
        ...TORTURE_SAMPLE,
      });
      expect(report.runs).toBeGreaterThan(30);
    },
    LONGEST_MS,
  );

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
