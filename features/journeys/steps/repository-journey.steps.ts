import assert from 'node:assert/strict';
import { Given } from '@cucumber/cucumber';
import { ODD_REPOSITORIES, temporaryDirectory, TemporaryRepository } from '@cleveragents/shared-testing';
import type { JourneyWorld } from './journey.steps.ts';

Given('a repository that only git can work on, with {string}', function (this: JourneyWorld, what: string) {
  const odd = ODD_REPOSITORIES.find((one) => one.what === what);
  assert.ok(odd, `no such repository: ${what}`);
  this.folder = odd.make(temporaryDirectory().path);
  this.repository = new TemporaryRepository(this.folder);
});
