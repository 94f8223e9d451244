import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import { registerFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import { onEachStage } from './stage.ts';

Then('the record holds {string}', async function (entries: string) {
  await onEachStage(this, ({ recorded }) =>
    assert.equal(recorded.entries.map(({ operation, path }) => `${operation} ${path}`).join(', '), entries),
  );
});
Then('the record comes to {string}', async function (entries: string) {
  await onEachStage(this, ({ recorded }) =>
    assert.equal(
      recorded
        .net()
        .map(({ operation, path }) => `${operation} ${path}`)
        .join(', '),
      entries,
    ),
  );
});
Then('the record is empty', async function () {
  await onEachStage(this, ({ recorded }) => assert.deepEqual(recorded.entries, []));
});
Then('the record sums up as {string}', async function (summary: string) {
  await onEachStage(this, ({ recorded }) => assert.equal(recorded.summary(), summary));
});
Then('the entry has one hash for before and another for after', async function () {
  await onEachStage(this, ({ recorded }) => {
    const [entry] = recorded.entries;
    assert.match(entry?.beforeHash ?? '', /^[0-9a-f]{64}$/);
    assert.match(entry?.afterHash ?? '', /^[0-9a-f]{64}$/);
    assert.notEqual(entry?.beforeHash, entry?.afterHash);
  });
});
Then(
  'of the tree differences {string} no call explains {string}',
  async function (tree: string, unexplained: string) {
    await onEachStage(this, ({ recorded }) => {
      const differences = tree.split(', ').map((path) => ({
        path,
        hash: recorded.net().find((entry) => entry.path === path)?.afterHash ?? null,
      }));
      assert.equal(
        recorded
          .unattributed(differences)
          .map(({ path }) => path)
          .join(', '),
        unexplained,
      );
    });
  },
);

Given('an empty registry', async function () {
  await onEachStage(this, (stage) => void (stage.registry = new ToolRegistry()));
});
When('the file tools are registered', async function () {
  await onEachStage(this, ({ registry, room }) => registerFileTools(registry, room.options));
});
When('the file tools are registered with a record for plan {string}', async function (planId: string) {
  await onEachStage(this, (stage) => stage.record(planId));
});
Then('the registry holds exactly {string}', async function (names: string) {
  await onEachStage(this, ({ registry }) => {
    assert.equal(
      registry
        .list()
        .map(({ name }) => name)
        .join(', '),
      names,
    );
    for (const name of names.split(', ')) assert.ok(registry.has(name));
  });
});
