import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'cleveragents-example-'));
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.invalid', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
git('init', '--quiet', '--initial-branch=main');
git('config', 'user.name', 'Ada');
git('config', 'user.email', 'ada@example.invalid');
writeFileSync(join(folder, 'README.md'), 'read me\n');
git('add', '--all');
git('commit', '--quiet', '--message', 'begin');

// #region example
import { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';

const sandbox = new GitWorktreeSandbox({ resourceId: 'app', originalPath: folder });
await sandbox.create('fix the readme');

// An agent, a formatter, anything may write below the sandbox; the project stays as it is.
writeFileSync(await sandbox.getPath('README.md'), 'read me, please\n');
console.log((await sandbox.changes()).files.map(({ path }) => path)); // [ 'README.md' ]

const result = await sandbox.commit('docs: be polite'); // merged into the branch that you are on
await sandbox.cleanup();
// #endregion

assert.deepEqual(result.changedFiles, ['README.md']);
assert.equal(readFileSync(join(folder, 'README.md'), 'utf8'), 'read me, please\n');
assert.equal(git('status', '--porcelain'), '');
rmSync(folder, { recursive: true });
