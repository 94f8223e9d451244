import { describe, expect, it } from '@jest/globals';
import { strike } from './support/copy-campaign.ts';
import { COPY_FLOWS } from './support/copy-flows.ts';

// A sample of flows and points; test/torture strikes all flows, and more often.
const SAMPLE = COPY_FLOWS.filter(({ name }) => /^create|every kind|from committed$|from active/.test(name));

describe.each(SAMPLE.map((flow) => [flow.name, flow] as const))('%s', (_name, flow) => {
  it('is whole after the next command, wherever its process was killed', async () => {
    const report = await strike(flow, { kinds: ['kill-before'], sample: 4 });
    expect(report.runs).toBe(4);
  }, 60_000);

  it('says in our words, and by its path, what the system refused', async () => {
    const report = await strike(flow, { kinds: ['error:EACCES'], sample: 6 });
    expect(report.runs).toBe(6);
  }, 60_000);
});
