import { When } from '@cucumber/cucumber';
import { unescaped } from './arranging.steps.ts';
import { onEachStage } from './stage.ts';

When('the agent reads {string}', async function (path: string) {
  await onEachStage(this, (stage) => stage.call('file-read', { path }));
});
When(
  'the agent reads {int} lines of {string} from line {int} on',
  async function (limit: number, path: string, line: number) {
    await onEachStage(this, (stage) => stage.call('file-read', { path, offset: line - 1, limit }));
  },
);
When('the agent reads {string} as {string}', async function (path: string, encoding: string) {
  await onEachStage(this, (stage) => stage.call('file-read', { path, encoding }));
});
When('the agent reads {string} of the directory beside', async function (path: string) {
  await onEachStage(this, (stage) => stage.call('file-read', { path: stage.room.world.absolute(path) }));
});
When('the agent writes {string} to {string}', async function (content: string, path: string) {
  await onEachStage(this, (stage) => stage.call('file-write', { path, content: unescaped(content) }));
});
When(
  'the agent replaces {string} by {string} in {string}',
  async function (oldText: string, newText: string, path: string) {
    await onEachStage(this, (stage) =>
      stage.call('file-edit', { path, old_text: unescaped(oldText), new_text: unescaped(newText) }),
    );
  },
);
When(
  'the agent replaces every {string} by {string} in {string}',
  async function (oldText: string, newText: string, path: string) {
    await onEachStage(this, (stage) =>
      stage.call('file-edit', { path, old_text: oldText, new_text: newText, replace_all: true }),
    );
  },
);
When(
  'the agent replaces {string} by {string} in {string}, which is {string}',
  async function (oldText: string, newText: string, path: string, encoding: string) {
    await onEachStage(this, (stage) =>
      stage.call('file-edit', { path, old_text: oldText, new_text: newText, encoding }),
    );
  },
);
When('the agent deletes {string}', async function (path: string) {
  await onEachStage(this, (stage) => stage.call('file-delete', { path }));
});
When('the agent lists {string}', async function (path: string) {
  await onEachStage(this, (stage) => stage.call('file-list', { path }));
});
When('the agent lists everything below {string}', async function (path: string) {
  await onEachStage(this, (stage) => stage.call('file-list', { path, recursive: true }));
});
When('the agent lists everything below {string} that git does not ignore', async function (path: string) {
  await onEachStage(this, (stage) =>
    stage.call('file-list', { path, recursive: true, respect_gitignore: true }),
  );
});
When('the agent lists the files {string} in {string}', async function (pattern: string, path: string) {
  await onEachStage(this, (stage) => stage.call('file-list', { path, pattern }));
});
When('the agent searches {string} for {string}', async function (path: string, pattern: string) {
  await onEachStage(this, (stage) => stage.call('file-search', { path, pattern: unescaped(pattern) }));
});
When('the agent searches {string} for the words {string}', async function (path: string, pattern: string) {
  await onEachStage(this, (stage) => stage.call('file-search', { path, pattern, literal: true }));
});
When(
  'the agent searches {string} for {string} and wants {int} at most',
  async function (path: string, pattern: string, most: number) {
    await onEachStage(this, (stage) => stage.call('file-search', { path, pattern, max_results: most }));
  },
);
When('a tool that nobody knows writes {string} to {string}', async function (content: string, path: string) {
  await onEachStage(this, (stage) => stage.writeByStrangeTool(path, content));
});
When('the record is cleared', async function () {
  await onEachStage(this, (stage) => stage.recorded.clear());
});
