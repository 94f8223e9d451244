import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import { retentionPolicy, type RetentionPolicy } from '@cleveragents/checkpoint-domain';
import { onEach } from './on-each.ts';
import type { Stage } from './stage.ts';

Given('the retention that holds when nothing is said', async function () {
  await onEach(this, (stage) => void (stage.policy = retentionPolicy()));
});
Given(
  'a retention of {int} checkpoints that does not prune by itself',
  async function (maxCheckpoints: number) {
    await onEach(
      this,
      (stage) => void (stage.policy = retentionPolicy({ maxCheckpoints, autoPrune: false })),
    );
  },
);
Given('the third of them is pinned', async function () {
  await onEach(this, async ({ driver, made }) => {
    await driver.service.pinCheckpoint(made[2]?.checkpointId ?? '');
  });
});
Given(
  'checkpoints of plan {string} were captured while the file {string} read {string} in turn',
  async function (planId: string, path: string, contents: string) {
    await onEach(this, async (stage) => {
      for (const content of contents.split(', ')) {
        await stage.sandbox(planId).write(path, content.repeat(1000));
        await stage.capture(planId);
        stage.contentAt.set(stage.it.checkpointId, content.repeat(1000));
      }
    });
  },
);

const pruning = (policy: RetentionPolicy) => async (stage: Stage) => {
  const { pruned, freedBytes } = await stage.driver.service.pruneCheckpoints(stage.it.planId, policy);
  Object.assign(stage, { pruned, freedBytes });
};
When('I prune it to {int} checkpoint(s)', async function (maxCheckpoints: number) {
  await onEach(this, pruning(retentionPolicy({ maxCheckpoints })));
});
When('I prune it with retention switched off', async function () {
  await onEach(this, pruning(retentionPolicy({ maxCheckpoints: 1, autoPrune: false })));
});
When('I record one more and keep {int}', async function (maxCheckpoints: number) {
  await onEach(this, (stage) =>
    stage.record({ planId: stage.it.planId, retentionPolicy: retentionPolicy({ maxCheckpoints }) }),
  );
});

Then('it keeps {int} checkpoints', async function (count: number) {
  await onEach(this, ({ policy }) => assert.equal(policy?.maxCheckpoints, count));
});
Then('it prunes by itself', async function () {
  await onEach(this, ({ policy }) => assert.equal(policy?.autoPrune, true));
});
Then('it does not prune by itself', async function () {
  await onEach(this, ({ policy }) => assert.equal(policy?.autoPrune, false));
});
Then('{int} checkpoints are pruned', async function (count: number) {
  await onEach(this, ({ pruned }) => assert.equal(pruned.length, count));
});
Then('{int} checkpoints remain', async function (count: number) {
  await onEach(this, async (stage) => assert.equal((await stage.remaining()).length, count));
});
Then('at most {int} checkpoints remain', async function (count: number) {
  await onEach(this, async (stage) => {
    assert.equal(stage.refusal, undefined);
    assert.ok((await stage.remaining()).length <= count);
  });
});

const remains = (index: number) => async (stage: Stage) =>
  assert.ok((await stage.remaining()).includes(stage.made.at(index)?.checkpointId ?? ''));
Then('the first checkpoint remains', async function () {
  await onEach(this, remains(0));
});
Then('the third checkpoint remains', async function () {
  await onEach(this, remains(2));
});
Then('the most recent checkpoint remains', async function () {
  await onEach(this, remains(-1));
});
Then('bytes are freed', async function () {
  await onEach(this, ({ freedBytes }) => assert.ok(freedBytes > 0));
});
Then('rolling back to each that remains brings back what {string} read then', async function (path: string) {
  await onEach(this, async (stage) => {
    const { planId } = stage.it;
    for (const id of await stage.remaining()) {
      await stage.driver.service.rollbackToCheckpoint(planId, id);
      assert.equal(await stage.sandbox(planId).read(path), stage.contentAt.get(id));
    }
  });
});
