import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { FaultKind } from '@cleveragents/shared-testing';
import { type Expectation, runCampaign, type Scene } from '../support/fault-campaigns.ts';
import { Scenes } from '../support/scenes.ts';

let scenes: Scenes;

beforeAll(() => {
  scenes = new Scenes();
});

afterAll(() => {
  scenes.remove();
});

const DEATHS: readonly FaultKind[] = ['kill-before', 'kill-during', 'kill-after'];
const ERRORS: readonly FaultKind[] = ['error:EIO', 'error:EACCES', 'error-from:ENOSPC'];

const OPERATIONS: readonly [string, () => Promise<Scene>, Expectation][] = [
  ['the update of a branch', () => scenes.update(), { undoesItself: true }],
  ['the making of a worktree', () => scenes.add(), { undoesItself: true }],
  ['the removal of a worktree', () => scenes.remove_(), { undoesItself: false }],
  ['the restoring of a worktree', () => scenes.restore(), { undoesItself: false }],
];

describe.each(OPERATIONS)('%s', (_name, build, expectation) => {
  it('leaves all or nothing when it dies at any call', async () => {
    await runCampaign(build, expectation, { kinds: DEATHS });
  }, 1_800_000);

  it('leaves all or nothing when the system refuses any call', async () => {
    await runCampaign(build, expectation, { kinds: ERRORS });
  }, 1_800_000);
});
