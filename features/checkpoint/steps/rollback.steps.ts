import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import type { RollbackOptions } from '@cleveragents/checkpoint-application';
import { rollbackResult } from '@cleveragents/checkpoint-domain';
import { onEach } from './on-each.ts';
import type { Stage } from './stage.ts';

Given('plan {string} has a sandbox', async function (planId: string) {
  await onEach(this, async (stage) => {
    stage.driver.service.registerSandbox(planId, (await stage.makeSandbox(planId)).root);
  });
});
Given('the sandbox of plan {string} is unregistered', async function (planId: string) {
  await onEach(this, ({ driver }) => driver.service.unregisterSandbox(planId));
});
Given('plan {string} is marked as applied', async function (planId: string) {
  await onEach(this, ({ driver }) => driver.service.markPlanApplied(planId));
});
Given('the owner of plans says that plan {string} is applied', async function (planId: string) {
  await onEach(this, async (stage) => {
    const { root } = await stage.makeSandbox(planId);
    stage.driver.ownerSays(planId, { isApplied: true, sandboxPath: root });
  });
});
Given('the owner of plans says that plan {string} has no sandbox', async function (planId: string) {
  await onEach(this, ({ driver }) => driver.ownerSays(planId, { isApplied: false, sandboxPath: null }));
});
Given('the owner of plans says where the sandbox of plan {string} is', async function (planId: string) {
  await onEach(this, async (stage) => {
    const { root } = await stage.makeSandbox(planId);
    stage.driver.ownerSays(planId, { isApplied: false, sandboxPath: root });
  });
});
Given('the file {string} of plan {string} reads {string}', async function (path, planId, content) {
  await onEach(this, (stage) => stage.sandbox(planId).write(path, content));
});
Given('the file {string} of plan {string} is ignored', async function (path: string, planId: string) {
  await onEach(this, (stage) => stage.sandbox(planId).ignore([path]));
});
Given('nothing of plan {string} is ignored', async function (planId: string) {
  await onEach(this, (stage) => stage.sandbox(planId).ignore([]));
});
Given('the sandbox of plan {string} was emptied', async function (planId: string) {
  await onEach(this, (stage) => stage.sandbox(planId).empty());
});
Given('a captured checkpoint of plan {string}', async function (planId: string) {
  await onEach(this, (stage) => stage.capture(planId));
});

Given(
  'the result of a rollback to {string} that restored {int} files',
  async function (fromCheckpointId: string, count: number) {
    const restoredFiles = Array.from({ length: count }, (_, at) => `file-${at}`);
    await onEach(
      this,
      (stage) => void (stage.rollback = rollbackResult({ fromCheckpointId, restoredFiles })),
    );
  },
);

When('I capture a checkpoint of plan {string}', async function (planId: string) {
  await onEach(this, (stage) => stage.capture(planId));
});

const rollingBack = async (
  stage: Stage,
  planId: string,
  id: string,
  options?: RollbackOptions,
): Promise<void> => {
  stage.rollback = await stage.attempt(() => stage.driver.service.rollbackToCheckpoint(planId, id, options));
};
When('I roll plan {string} back to it', async function (planId: string) {
  await onEach(this, (stage) => rollingBack(stage, planId, stage.it.checkpointId));
});
When('I roll plan {string} back to the checkpoint {string}', async function (planId: string, id: string) {
  await onEach(this, (stage) => rollingBack(stage, planId, id));
});
When('I roll plan {string} back to the safety checkpoint', async function (planId: string) {
  await onEach(this, (stage) => rollingBack(stage, planId, stage.result.safetyCheckpointId ?? ''));
});
When('I rehearse rolling plan {string} back to it', async function (planId: string) {
  await onEach(this, (stage) => rollingBack(stage, planId, stage.it.checkpointId, { dryRun: true }));
});
When('I restore the sandbox of plan {string}', async function (planId: string) {
  await onEach(this, async ({ driver }) => void (await driver.service.restoreSandbox(planId)));
});

Then('the result counts {int} restored files', async function (count: number) {
  await onEach(this, ({ result }) => assert.equal(result.restoredFilesCount, count));
});
Then('the result comes from {string}', async function (checkpointId: string) {
  await onEach(this, ({ result }) => assert.equal(result.fromCheckpointId, checkpointId));
});
Then('the rollback succeeds', async function () {
  await onEach(this, ({ result }) => {
    assert.equal(result.restoredFilesCount, result.restoredFiles.length);
    assert.ok(result.restoredFilesCount > 0);
    assert.notEqual(result.safetyCheckpointId, null);
  });
});
Then('the rollback is refused with {string}', async function (message: string) {
  await onEach(this, ({ refusal }) => {
    assert.ok(refusal instanceof Error, 'it was not refused');
    assert.ok(refusal.message.includes(message), refusal.message);
  });
});
Then('it names {string} as restored', async function (path: string) {
  await onEach(this, ({ result }) => assert.deepEqual(result.restoredFiles, [path]));
});
Then('it names {string} as kept: {string}', async function (path: string, reason: string) {
  await onEach(this, ({ result }) => assert.deepEqual(result.keptFiles, [{ path, reason }]));
});
Then('the file {string} of plan {string} holds {string}', async function (path, planId, content) {
  await onEach(this, async (stage) => assert.equal(await stage.sandbox(planId).read(path), content));
});
Then('it holds {int} file(s)', async function (count: number) {
  await onEach(this, ({ it }) => assert.equal(it.coverage?.fileCount, count));
});
Then('it names {string} as not held: {string}', async function (path: string, reason: string) {
  await onEach(this, ({ it }) => assert.deepEqual(it.coverage?.uncovered, [{ path, reason }]));
});
