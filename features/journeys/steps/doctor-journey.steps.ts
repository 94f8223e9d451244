import assert from 'node:assert/strict';
import { existsSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Then, When } from '@cucumber/cucumber';
import type { JourneyWorld } from './journey.steps.ts';

When('the record of a plan is cut off', function (this: JourneyWorld) {
  const projects = join(this.home.path, 'cleveragents/projects');
  const [project = ''] = readdirSync(projects);
  const plans = join(projects, project, 'plans');
  const record = readdirSync(plans).find((name) => name.endsWith('.json'));
  truncateSync(join(plans, String(record)), 100);
});

Then('the doctor has left no trace', function (this: JourneyWorld) {
  assert.deepEqual(readdirSync(this.home.path), []);
  assert.equal(existsSync(join(this.folder, '.git/cleveragents')), false);
});

Then(
  'the doctor names {string} about {string}, to be repaired by {string}',
  function (this: JourneyWorld, kind: string, subject: string, by: string) {
    const { command, healthy, findings } = JSON.parse(this.output) as {
      command: string;
      healthy: boolean;
      findings: readonly { kind: string; subject: string; repair: { by: string } }[];
    };
    assert.equal(command, 'doctor');
    assert.equal(healthy, false);
    assert.deepEqual(
      findings.map((each) => [each.kind, each.subject, each.repair.by]),
      [[kind, subject, by]],
    );
  },
);
