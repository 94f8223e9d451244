import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsomorphicEngine } from '@cleveragents/git-adapter-isomorphic';

const folder = mkdtempSync(join(tmpdir(), 'worktree-host-'));
const project = join(folder, 'project');
execFileSync('git', ['init', '-q', '-b', 'main', project]);
execFileSync('git', ['config', 'user.name', 'You'], { cwd: project });
execFileSync('git', ['config', 'user.email', 'you@example.com'], { cwd: project });
writeFileSync(join(project, 'notes.txt'), 'one\n');
execFileSync('git', ['add', '-A'], { cwd: project });
execFileSync('git', ['commit', '-q', '-m', 'begin'], { cwd: project });
// #region example
const host = await new IsomorphicEngine().open(project);
const { commit: base } = await host.readHead();
if (base === null) throw new Error('commit something first');

const branch = 'refs/heads/cleveragents/plan-x';
const worktree = await host.addWorktree({
  path: join(folder, 'sandbox'),
  branch,
  commit: base,
  owner: { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
});
appendFileSync(join(worktree.path, 'notes.txt'), 'two\n'); // an agent works

const { tree } = await worktree.capture();
const identity = await host.readIdentity();
const commit = await host.objects.writeCommit({ tree, parents: [base], ...identity, message: 'Plan x\n' });
await worktree.record(commit, { name: branch, expected: base }, 'commit: Plan x');

const update = await host.beginBranchUpdate({
  branch: 'refs/heads/main',
  from: base,
  to: commit,
  message: 'merge plan x',
});
const isSafe = update.facts.every(({ index, disk }) => index === 'before' && disk === 'before');
await (isSafe ? update.apply() : update.abandon());
// #endregion
console.log(readFileSync(join(project, 'notes.txt'), 'utf8')); // 'one\ntwo\n'
rmSync(folder, { recursive: true });
