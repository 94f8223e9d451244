import { describe, expect, it } from '@jest/globals';
import { runCampaign, SCENES } from '../support/fault-campaign.ts';

describe.each(Object.entries(SCENES))('%s', (_name, build) => {
  it.each([
    'kill-before',
    'kill-during',
    'kill-after',
    'error:EIO',
    'error:EACCES',
    'error-from:ENOSPC',
  ] as const)(
    'leaves all or nothing, wherever it is struck: %s',
    async (kind) => {
      const report = await runCampaign(build, { kinds: [kind], sample: 30 });
      expect(report.runs).toBeGreaterThan(3);
    },
    1_200_000,
  );
});
