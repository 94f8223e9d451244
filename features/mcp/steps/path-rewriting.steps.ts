import assert from 'node:assert/strict';
import { After, Before, Given, Then, When } from '@cucumber/cucumber';
import type { Fields, PathRewritingDriver } from '../driver.ts';
import { drivers } from '../drivers/all.ts';

interface Stage {
  readonly driver: PathRewritingDriver;
  toolGot: Fields;
  agentGot: Fields;
}

/** A scenario plays on every stage at once. */
interface McpWorld {
  stages: readonly Stage[];
}

Before({ tags: '@mcp' }, function (this: McpWorld) {
  this.stages = drivers.map((open) => ({ driver: open(), toolGot: {}, agentGot: {} }));
});

After({ tags: '@mcp' }, async function (this: McpWorld) {
  for (const { driver } of this.stages) await driver.stop();
});

/** `a.b` names the field b of the object a. */
function fieldsOf(name: string, value: unknown): Fields {
  return name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Fields;
}

Given(
  'the agent knows the project as {string} and the tool knows it as {string}',
  async function (this: McpWorld, host: string, sandbox: string) {
    for (const { driver } of this.stages) await driver.start({ host, sandbox });
  },
);

When(
  'the agent calls the tool with {string} set to {string}',
  async function (this: McpWorld, name: string, value: string) {
    for (const stage of this.stages) stage.toolGot = await stage.driver.call(fieldsOf(name, value));
  },
);

When(
  'the agent calls the tool with {string} listing {string} and {string}',
  async function (this: McpWorld, name: string, first: string, second: string) {
    for (const stage of this.stages) stage.toolGot = await stage.driver.call(fieldsOf(name, [first, second]));
  },
);

When(
  'the tool answers with {string} set to {string}',
  async function (this: McpWorld, name: string, value: string) {
    for (const stage of this.stages) stage.agentGot = await stage.driver.answer(fieldsOf(name, value));
  },
);

When('the tool answers with what it got', async function (this: McpWorld) {
  for (const stage of this.stages) stage.agentGot = await stage.driver.answer(stage.toolGot);
});

Then('the tool gets {string} set to {string}', function (this: McpWorld, name: string, value: string) {
  for (const { driver, toolGot } of this.stages)
    assert.deepEqual(toolGot, fieldsOf(name, value), driver.name);
});

Then(
  'the tool gets {string} listing {string} and {string}',
  function (this: McpWorld, name: string, first: string, second: string) {
    for (const { driver, toolGot } of this.stages)
      assert.deepEqual(toolGot, fieldsOf(name, [first, second]), driver.name);
  },
);

Then('the agent gets {string} set to {string}', function (this: McpWorld, name: string, value: string) {
  for (const { driver, agentGot } of this.stages)
    assert.deepEqual(agentGot, fieldsOf(name, value), driver.name);
});
