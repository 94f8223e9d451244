import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeGitEngine } from '@cleveragents/git-adapter-native';

const folder = mkdtempSync(join(tmpdir(), 'native-engine-'));
const project = join(folder, 'project');
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: project, encoding: 'utf8' });
execFileSync('git', ['init', '-q', '-b', 'main', project]);
git('config', 'user.name', 'You');
git('config', 'user.email', 'you@example.com');
git('config', 'core.autocrlf', 'true');
writeFileSync(join(project, 'notes.txt'), 'one\n');
git('add', '-A');
git('commit', '-q', '-m', 'begin');
// #region example
const engine = new NativeGitEngine();
const facts = await engine.inspect(project);
console.log(facts?.unsupported); // [], although git changes line endings here

const host = await engine.open(project);
const { commit: base } = await host.readHead();
if (base === null) throw new Error('commit something first');
const worktree = await host.addWorktree({
  path: join(folder, 'sandbox'),
  branch: 'refs/heads/cleveragents/plan-x',
  commit: base,
  owner: { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
});
writeFileSync(join(worktree.path, 'notes.txt'), 'one\r\ntwo\r\n'); // as an editor here writes it
const { tree } = await worktree.capture(); // what `git add -A` makes of it
// #endregion
assert.equal(readFileSync(join(worktree.path, 'notes.txt'), 'utf8'), 'one\r\ntwo\r\n');
assert.equal(git('show', `${tree}:notes.txt`), 'one\ntwo\n');
rmSync(folder, { recursive: true });
