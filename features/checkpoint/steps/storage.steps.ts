import assert from 'node:assert/strict';
import { Given, Then } from '@cucumber/cucumber';
import { parsePlanId } from '@cleveragents/shared-kernel';
import { onEach } from './on-each.ts';

Given(
  'the repository holds checkpoints of plan {string} for the states {string}',
  async function (planId, states) {
    await onEach(this, async (stage) => {
      for (const state of states.split(', ')) await stage.record({ planId, state });
    });
  },
);
Given('the repository has an entry without a checkpoint for plan {string}', async function (planId: string) {
  await onEach(this, ({ driver }) => driver.addEntryWithoutCheckpoint(planId));
});
Given('the repository lost its entries for plan {string}', async function (planId: string) {
  await onEach(this, ({ driver }) => driver.loseEntries(planId));
});

Then(
  'the repository holds {int} checkpoint(s) of plan {string}',
  async function (count: number, planId: string) {
    await onEach(this, async ({ driver }) => {
      assert.equal((await driver.repository.listByPlan(parsePlanId(planId))).length, count);
    });
  },
);
