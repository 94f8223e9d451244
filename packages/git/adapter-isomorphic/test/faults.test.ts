import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Expectation, runCampaign, type Scene } from './support/fault-campaigns.ts';
import { Scenes } from './support/scenes.ts';

// A sample; test/torture strikes every call.
let scenes: Scenes;

beforeAll(() => {
  scenes = new Scenes();
});

afterAll(() => {
  scenes.remove();
});

const OPERATIONS: readonly [string, () => Promise<Scene>, Expectation][] = [
  ['the update of a branch', () => scenes.update(), { undoesItself: true }],
  ['the making of a worktree', () => scenes.add(), { undoesItself: true }],
  ['the removal of a worktree', () => scenes.remove_(), { undoesItself: false }],
  ['the restoring of a worktree', () => scenes.restore(), { undoesItself: false }],
];

describe.each(OPERATIONS)('%s', (_name, build, expectation) => {
  it('leaves all or nothing, when it dies and when the disk is full', async () => {
    const report = await runCampaign(build, expectation, {
      kinds: ['kill-before', 'kill-during', 'error-from:ENOSPC'],
      sample: 3,
    });
    expect(report.runs).toBeGreaterThan(5);
  }, 120_000);
});
