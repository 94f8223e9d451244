import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import type { CorrectionMode } from '@cleveragents/checkpoint-domain';
import { parsePlanId } from '@cleveragents/shared-kernel';
import { onEach } from './on-each.ts';

Given(
  'a captured checkpoint of plan {string} aligned with the decision {string}',
  async function (planId: string, decisionId: string) {
    await onEach(this, (stage) => stage.capture(planId, decisionId));
  },
);

When(
  'I correct the decision {string} of plan {string} by {string}: {string}',
  async function (decisionId: string, planId: string, mode: string, guidance: string) {
    await onEach(this, async (stage) => {
      stage.correction = await stage.attempt(() =>
        stage.driver.corrections.correct({ planId, decisionId, mode: mode as CorrectionMode, guidance }),
      );
    });
  },
);

Then('the correction service has checkpoint support', async function () {
  await onEach(this, ({ driver }) => assert.equal(driver.corrections.hasCheckpointSupport, true));
});
Then('the audit trail of plan {string} reads {string}', async function (planId: string, expected: string) {
  await onEach(this, async ({ driver, correction, refusal }) => {
    assert.ok(correction, String(refusal));
    const trail = await driver.audit.listByPlan(parsePlanId(planId));
    assert.deepEqual(trail, [correction.correction]);
    assert.equal(trail.map(({ mode, guidance }) => `${mode}: ${guidance}`).join('\n'), expected);
  });
});
Then('it fails with the code {string} and names that checkpoint', async function (code: string) {
  await onEach(this, ({ refusal, it }) => {
    const { code: actual, data } = refusal as { code?: string; data?: { nearestCheckpointId?: string } };
    assert.deepEqual([actual, data?.nearestCheckpointId], [code, it.checkpointId]);
  });
});
