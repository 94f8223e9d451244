import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileTools } from '@cleveragents/file-tools-adapter-fs';
import { ChangeSetCapture, registerFileTools, ToolRegistry } from '@cleveragents/file-tools-application';

const root = await mkdtemp(join(tmpdir(), 'file-tools-example-'));
const changeSet = new ChangeSetCapture({ planId: 'rename the greeting' });
const registry = new ToolRegistry();
registerFileTools(registry, { ...(await openFileTools(root)), changeSet });

// Stands for a model: it sees the tools and the last answer, and says what to call next.
const wishes = [
  { tool: 'builtin/file-write', input: { path: 'src/greeting.txt', content: 'Hello, World!\n' } },
  { tool: 'builtin/file-search', input: { path: '.', pattern: 'World' } },
  { tool: 'builtin/file-edit', input: { path: 'src/greeting.txt', old_text: 'World', new_text: 'Moon' } },
  { tool: 'builtin/file-read', input: { path: '../../etc/passwd' } },
];
function nextCall(_tools: readonly string[], _lastAnswer: unknown) {
  return wishes.shift();
}

try {
  const tools = registry.list().map(({ name }) => name);
  let answer: unknown;
  for (let call = nextCall(tools, answer); call !== undefined; call = nextCall(tools, answer)) {
    answer = await registry.execute(call.tool, call.input);
    console.log(call.tool, JSON.stringify(answer)); // the last one: "Path traversal not allowed"
  }
  console.log(changeSet.summary()); // '2 changes recorded: 1 create, 1 modify'
  console.log(JSON.stringify(changeSet.toJSON().net)); // one entry: src/greeting.txt was created
} finally {
  await rm(root, { recursive: true });
}
