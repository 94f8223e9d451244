import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const place = mkdtempSync(join(tmpdir(), 'cleveragents-example-'));
const folder = mkdtempSync(join(tmpdir(), 'cleveragents-example-'));
writeFileSync(join(folder, 'notes.txt'), 'first\n');

// #region example
import { FileCopySandbox } from '@cleveragents/sandbox-adapter-fs';

const stateFolder = join(place, 'state'); // left out: the user's state directory
const sandbox = new FileCopySandbox({ resourceId: 'notes', originalPath: folder, stateFolder });
await sandbox.create('tidy the notes', { exclude: ['*.sock'] });

// An agent, a formatter, anything may write below the sandbox; the folder stays as it is.
writeFileSync(await sandbox.getPath('notes.txt'), 'first\nsecond\n');
console.log((await sandbox.changes()).files.map(({ path }) => path)); // [ 'notes.txt' ]

const result = await sandbox.commit(); // into the folder, as a whole or not at all
await sandbox.rollback(); // and out of it again
await sandbox.cleanup();
// #endregion

assert.deepEqual(result.changedFiles, ['notes.txt']);
assert.equal(readFileSync(join(folder, 'notes.txt'), 'utf8'), 'first\n');
for (const each of [folder, place]) rmSync(each, { recursive: true });
