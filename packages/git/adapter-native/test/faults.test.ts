import { describe, expect, it } from '@jest/globals';
import { runCampaign, SCENES } from './support/fault-campaign.ts';

// A sample; test/torture strikes every call.
describe.each(Object.entries(SCENES))('%s', (_name, build) => {
  it('leaves all or nothing, when it dies and when the disk is full', async () => {
    const report = await runCampaign(build, {
      kinds: ['kill-before', 'kill-during', 'error-from:ENOSPC'],
      sample: 2,
    });
    expect(report.runs).toBeGreaterThan(3);
  }, 120_000);
});
