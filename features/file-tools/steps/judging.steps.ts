import assert from 'node:assert/strict';
import { Then } from '@cucumber/cucumber';
import { unescaped } from './arranging.steps.ts';
import { onEachStage } from './stage.ts';

type Listed = { readonly path: string; readonly type: string };
type Match = { readonly path: string; readonly line: number; readonly column: number; readonly text: string };

Then('the agent gets {string}', async function (text: string) {
  await onEachStage(this, ({ output }) => assert.equal(output.content, unescaped(text)));
});
Then('the text is {string} of {int} bytes', async function (encoding: string, size: number) {
  await onEachStage(this, ({ output }) => assert.deepEqual([output.encoding, output.size], [encoding, size]));
});
Then('the next lines begin at offset {int} of {int}', async function (offset: number, total: number) {
  await onEachStage(this, ({ output }) =>
    assert.deepEqual([output.truncated, output.next_offset, output.total_lines], [true, offset, total]),
  );
});
Then('a file of {int} bytes was made', async function (size: number) {
  await onEachStage(this, ({ output }) => assert.deepEqual([output.created, output.size], [true, size]));
});
Then('a file was replaced', async function () {
  await onEachStage(this, ({ output }) => assert.equal(output.created, false));
});
Then('{string} now holds {string}', async function (path: string, text: string) {
  await onEachStage(this, async ({ room }) =>
    assert.equal(await room.world.contents(`sandbox/${path}`), unescaped(text)),
  );
});
Then('{string} now holds the bytes {string}', async function (path: string, hex: string) {
  await onEachStage(this, async ({ room }) => {
    const { bytes } = await room.world.files.read(path, { maxBytes: 10_000 });
    assert.equal(Buffer.from(bytes).toString('hex'), hex.replaceAll(' ', ''));
  });
});
Then('{string} now has mode {string}', async function (path: string, mode: string) {
  await onEachStage(this, async ({ room }) =>
    assert.equal((await room.world.mode(`sandbox/${path}`)).toString(8), mode),
  );
});
Then('{string} beside the sandbox still holds {string}', async function (path: string, text: string) {
  await onEachStage(this, async ({ room }) => assert.equal(await room.world.contents(path), text));
});
Then('there is no {string}', async function (path: string) {
  await onEachStage(this, async ({ room }) =>
    assert.equal(await room.world.contents(`sandbox/${path}`), undefined),
  );
});
Then('{int} of {int} occurrence(s) was/were replaced', async function (replaced: number, all: number) {
  await onEachStage(this, ({ output }) =>
    assert.deepEqual([output.replacements, output.occurrences], [replaced, all]),
  );
});
Then('there was a file to delete', async function () {
  await onEachStage(this, ({ output }) => assert.deepEqual(output, { existed: true }));
});
Then('there was nothing to delete', async function () {
  await onEachStage(this, ({ output }) => assert.deepEqual(output, { existed: false }));
});
Then('the list is {string}', async function (paths: string) {
  await onEachStage(this, ({ output }) =>
    assert.equal((output.files as Listed[]).map(({ path }) => path).join(', '), paths),
  );
});
Then('the list shows {string} as {string}', async function (path: string, type: string) {
  await onEachStage(this, ({ output }) =>
    assert.equal((output.files as Listed[]).find((file) => file.path === path)?.type, type),
  );
});
Then('the matches are {string}', async function (places: string) {
  await onEachStage(this, ({ output }) => {
    const found = (output.matches as Match[]).map(({ path, line, column }) => `${path}:${line}:${column}`);
    assert.equal(found.join(', '), places);
  });
});
Then('the first match shows {string}', async function (text: string) {
  await onEachStage(this, ({ output }) => assert.equal((output.matches as Match[])[0]?.text, text));
});
Then('there are more matches', async function () {
  await onEachStage(this, ({ output }) => assert.equal(output.truncated, true));
});
Then('the tool refuses, and mentions {string}', async function (words: string) {
  await onEachStage(this, ({ failure }) =>
    assert.ok(failure.message.includes(words), `${failure.code}: ${failure.message}`),
  );
});
Then('the tool refuses with {string}', async function (code: string) {
  await onEachStage(this, ({ failure }) => assert.equal(failure.code, code, failure.message));
});
Then('the hint mentions {string}', async function (words: string) {
  await onEachStage(this, ({ failure }) => assert.ok(failure.hint?.includes(words), failure.hint));
});
