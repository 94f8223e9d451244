import assert from 'node:assert/strict';
import { After, Given, Then, When } from '@cucumber/cucumber';
import { checkpointDraft, validateUlidField } from '@cleveragents/checkpoint-domain';
import { isUlid } from '@cleveragents/shared-kernel';
import { closeDrivers, onEach } from './on-each.ts';
import { type CheckpointWish, SOME_PLAN, type Stage } from './stage.ts';

After(async function () {
  await closeDrivers(this);
});

function unrecorded(stage: Stage, wish: { planId?: string; sandboxRef?: string } & CheckpointWish): void {
  stage.checkpoint = checkpointDraft(
    { planId: SOME_PLAN, sandboxRef: 'some state', ...wish, checkpointType: 'manual' },
    { checkpointId: 'not recorded', createdAt: new Date(0) },
  );
}

Given(
  'a checkpoint of plan {string} for the state {string}, not yet recorded',
  async function (planId: string, sandboxRef: string) {
    await onEach(this, (stage) => unrecorded(stage, { planId, sandboxRef }));
  },
);
Given(
  'a checkpoint taken because of {string} by the tool {string} in phase {string}, not yet recorded',
  async function (reason: string, sourceTool: string, phase: string) {
    await onEach(this, (stage) => unrecorded(stage, { reason, sourceTool, phase }));
  },
);
Given(
  'a recorded checkpoint of plan {string} for the state {string}',
  async function (planId: string, state: string) {
    await onEach(this, (stage) => stage.record({ planId, state }));
  },
);
Given('{int} recorded checkpoints of plan {string}', async function (count: number, planId: string) {
  await onEach(this, async (stage) => {
    const retentionPolicy = { maxCheckpoints: 1, autoPrune: false };
    for (let made = 0; made < count; made++) await stage.record({ planId, retentionPolicy });
  });
});

When('I check the empty id', async function () {
  await onEach(this, (stage) => stage.attempt(() => void validateUlidField('')));
});

const recording = (wish: CheckpointWish) => (stage: Stage) => stage.attempt(() => stage.record(wish));
When('I record a checkpoint of plan {string} for the state {string}', async function (planId, state) {
  await onEach(this, recording({ planId, state }));
});
When(
  'I record a checkpoint taken because of {string} by the tool {string} in phase {string}',
  async function (reason, sourceTool, phase) {
    await onEach(this, recording({ reason, sourceTool, phase }));
  },
);
When('I record a checkpoint aligned with the decision {string}', async function (decisionId) {
  await onEach(this, recording({ decisionId }));
});
When('I record a checkpoint of the type {string}', async function (checkpointType) {
  await onEach(this, recording({ checkpointType }));
});
When('I record a checkpoint of the resource {string}', async function (resourceId) {
  await onEach(this, recording({ resourceId }));
});
When(
  'I record a checkpoint that lies at {string} and takes {int} bytes',
  async function (filesystemPath, sizeBytes) {
    await onEach(this, recording({ filesystemPath, sizeBytes }));
  },
);

const lookingUp = (stage: Stage, id: string): Promise<void> =>
  stage
    .attempt(() => stage.driver.service.getCheckpoint(id))
    .then((found) => {
      stage.found = found;
      stage.checkpoint = found;
    });
When('I look it up by its id', async function () {
  await onEach(this, (stage) => lookingUp(stage, stage.it.checkpointId));
});
When('I look up the checkpoint {string}', async function (id: string) {
  await onEach(this, (stage) => lookingUp(stage, id));
});

const deleting = (stage: Stage, id: string): Promise<unknown> =>
  stage.attempt(() => stage.driver.service.deleteCheckpoint(id));
When('I delete it', async function () {
  await onEach(this, async (stage) => {
    await deleting(stage, stage.it.checkpointId);
    assert.equal(stage.refusal, undefined);
  });
});
When('I delete the checkpoint {string}', async function (id: string) {
  await onEach(this, async (stage) => void (await deleting(stage, id)));
});

Then('it belongs to plan {string}', async function (planId: string) {
  await onEach(this, ({ checkpoint }) => assert.equal(checkpoint?.planId, planId));
});
Then('it stands for the state {string}', async function (state: string) {
  await onEach(this, ({ checkpoint }) => assert.equal(checkpoint?.sandboxRef, state));
});
Then('its reason is {string}', async function (reason: string) {
  await onEach(this, ({ checkpoint }) => assert.equal(checkpoint?.metadata.reason, reason));
});
Then('its tool is {string}', async function (tool: string) {
  await onEach(this, ({ checkpoint }) => assert.equal(checkpoint?.metadata.sourceTool, tool));
});
Then('its phase is {string}', async function (phase: string) {
  await onEach(this, ({ checkpoint }) => assert.equal(checkpoint?.metadata.phase, phase));
});
Then('its decision is {string}', async function (decisionId: string) {
  await onEach(this, ({ found }) => assert.equal(found?.decisionId, decisionId));
});
Then('its type is {string}', async function (type: string) {
  await onEach(this, ({ found }) => assert.equal(found?.checkpointType, type));
});
Then('its resource is {string}', async function (resourceId: string) {
  await onEach(this, ({ found }) => assert.equal(found?.resourceId, resourceId));
});
Then('it lies at {string}', async function (path: string) {
  await onEach(this, ({ found }) => assert.equal(found?.filesystemPath, path));
});
Then('it takes {int} bytes', async function (sizeBytes: number) {
  await onEach(this, ({ found }) => assert.equal(found?.sizeBytes, sizeBytes));
});
Then('it is recorded under an id of its own', async function () {
  await onEach(this, ({ it, refusal }) => {
    assert.equal(refusal, undefined);
    assert.ok(isUlid(it.checkpointId), it.checkpointId);
  });
});
Then('I get that very checkpoint', async function () {
  await onEach(this, ({ found, it }) => assert.deepEqual(found, it));
});
Then('it can no longer be found', async function () {
  await onEach(this, (stage) =>
    assert.rejects(stage.driver.service.getCheckpoint(stage.it.checkpointId), {
      code: 'CHECKPOINT_NOT_FOUND',
    }),
  );
});
Then('it is not found', async function () {
  await onEach(this, ({ refusal }) => {
    assert.equal((refusal as { code?: string } | undefined)?.code, 'CHECKPOINT_NOT_FOUND');
  });
});
Then('it is refused as invalid with {string}', async function (message: string) {
  await onEach(this, ({ refusal }) => {
    assert.ok(refusal instanceof Error);
    assert.equal((refusal as { code?: string }).code, 'VALIDATION_FAILED');
    assert.ok(refusal.message.includes(message), refusal.message);
  });
});
Then(
  'plan {string} has checkpoints for the states {string}',
  async function (planId: string, states: string) {
    await onEach(this, async (stage) => {
      const listed = await stage.driver.service.listCheckpoints(planId);
      assert.equal(listed.map((one) => stage.stateOf(one)).join(', '), states);
    });
  },
);
Then('plan {string} has no checkpoints', async function (planId: string) {
  await onEach(this, async (stage) => assert.deepEqual(await stage.remaining(planId), []));
});
Then('plan {string} has {int} checkpoint(s)', async function (planId: string, count: number) {
  await onEach(this, async (stage) => assert.equal((await stage.remaining(planId)).length, count));
});
