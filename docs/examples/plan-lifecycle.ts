import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

const folder = mkdtempSync(`${tmpdir()}/cleveragents-example-`);
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
git('init', '--quiet', '--initial-branch=main');
git('config', 'user.name', 'Ada');
git('config', 'user.email', 'ada@example.invalid');
writeFileSync(`${folder}/README.md`, 'read me\n');
git('add', '--all');
git('commit', '--quiet', '--message', 'begin');

// #region example
import { FilePlanRepository } from '@cleveragents/sandbox-adapter-fs';
import { GitWorktreeSandboxFactory } from '@cleveragents/sandbox-adapter-git-worktree';
import { PlanLifecycleService } from '@cleveragents/sandbox-application';
import { SystemClock } from '@cleveragents/shared-adapter-fs';

const plans = new PlanLifecycleService({
  plans: new FilePlanRepository({ directory: `${folder}/.git/cleveragents/plans` }),
  sandboxes: [new GitWorktreeSandboxFactory()],
  clock: new SystemClock(),
});

const resource = { resourceId: 'app', type: 'git-checkout', path: folder, project: 'local/app' };
await plans.create({ planId: 'greet', resource });
await plans.execute('greet', {
  label: 'write a greeting',
  run: async ({ path }) => writeFileSync(`${path}/greeting.txt`, 'hello\n'),
});
const summary = await plans.apply('greet', { message: 'feat: greet' });
console.log(`${summary.filesChanged} file, +${summary.insertions}`); // 1 file, +1
await plans.rollback('greet'); // and the branch is back where it was
// #endregion

assert.equal(summary.filesChanged, 1);
assert.equal(git('log', '--format=%s'), 'begin\n');
assert.equal(git('status', '--porcelain'), '');
rmSync(folder, { recursive: true });
