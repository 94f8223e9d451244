import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import type { JourneyWorld } from './journey.steps.ts';

Given('it holds {string} with {string}', function (this: JourneyWorld, path: string, text: string) {
  writeFileSync(join(this.folder, path), `${text}\n`);
});

Given('it holds {string} with lines {string}', function (this: JourneyWorld, path: string, lines: string) {
  writeFileSync(join(this.folder, path), linesOf(lines));
});

Given('it holds a pipe {string}', function (this: JourneyWorld, path: string) {
  execFileSync('mkfifo', [join(this.folder, path)]);
});

When('I edit {string} to {string}', function (this: JourneyWorld, path: string, text: string) {
  writeFileSync(join(this.folder, path), `${text}\n`);
});

When(
  'I replace {string} with {string} in {string}',
  function (this: JourneyWorld, old: string, text: string, path: string) {
    const file = join(this.folder, path);
    writeFileSync(file, readFileSync(file, 'utf8').replace(old, text));
  },
);

Then('the folder has {string} with {string}', function (this: JourneyWorld, path: string, text: string) {
  assert.equal(readFileSync(join(this.folder, path), 'utf8'), `${text}\n`);
});

Then(
  'the folder has {string} with lines {string}',
  function (this: JourneyWorld, path: string, lines: string) {
    assert.equal(readFileSync(join(this.folder, path), 'utf8'), linesOf(lines));
  },
);

Then('the folder has no {string}', function (this: JourneyWorld, path: string) {
  assert.equal(existsSync(join(this.folder, path)), false);
});

Then('the folder holds nothing of ours', function (this: JourneyWorld) {
  const ours = readdirSync(this.folder).filter((name) => name.includes('cleveragents'));
  assert.deepEqual(ours, []);
});

function linesOf(text: string): string {
  return `${text.split(' ').join('\n')}\n`;
}
