import { describe, expect, it } from '@jest/globals';
import { TORTURE_SAMPLE } from '@cleveragents/shared-testing';
import { strike } from '../support/flow-campaign.ts';
import { FLOWS } from '../support/flows.ts';

const LONGEST_MS = 3_600_000;

describe.each(FLOWS.map((flow) => [flow.name, flow] as const))('%s', (_name, flow) => {
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
});
