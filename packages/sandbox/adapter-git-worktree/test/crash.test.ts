import { describe, expect, it } from '@jest/globals';
import { strike } from './support/flow-campaign.ts';
import { FLOWS } from './support/flows.ts';

// A sample of flows and points; test/torture strikes all flows, and more often.
const SAMPLE = FLOWS.filter(({ name }) => /^create|merge$|from committed$|never/.test(name));

describe.each(SAMPLE.map((flow) => [flow.name, flow] as const))('%s', (_name, flow) => {
  it('is whole after the next command, wherever its process was killed', async () => {
    const report = await strike(flow, { kinds: ['kill-before'], sample: 3 });
    expect(report.runs).toBe(3);
  });

  it('says in our words, and by its path, what the system refused', async () => {
    const report = await strike(flow, { kinds: ['error:EACCES'], sample: 6 });
    expect(report.runs).toBe(6);
  });
});
