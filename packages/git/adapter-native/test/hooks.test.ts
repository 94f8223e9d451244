import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import type { LinkedWorktree, WorktreeHost } from '@cleveragents/git-ports';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  commitFiles,
  git,
  GIT_ENVIRONMENT,
  makeProject,
  revision,
} from '@cleveragents/shared-testing/real-git';
import { NativeGitEngine } from '../src/native-git-engine.ts';
import { addWorktree, BRANCH, MAIN } from './support/both-engines.ts';

let folder: string;
let root: string;
let base: ObjectId;

beforeEach(() => {
  ({ folder, root } = makeProject());
  base = commitFiles(root, { a: 'a\n' });
});

const seen = (name: string): string => join(folder, `seen-${name}`);

function setHook(name: string, script: string): void {
  const path = join(root, '.git/hooks', name);
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

interface Plan {
  readonly host: WorktreeHost;
  readonly worktree: LinkedWorktree;
  readonly commit: ObjectId;
}

async function plan(runHooks: boolean): Promise<Plan> {
  const host = await new NativeGitEngine({ environment: GIT_ENVIRONMENT, runHooks }).open(root);
  const worktree = await addWorktree(host, folder, base);
  writeFileSync(join(worktree.path, 'a'), 'changed\n');
  const { tree } = await worktree.capture();
  const identity = await host.readIdentity();
  const commit = await host.objects.writeCommit({ tree, parents: [base], ...identity, message: 'plan x\n' });
  return { host, worktree, commit };
}

const record = ({ worktree, commit }: Plan): Promise<void> =>
  worktree.record(commit, { name: BRANCH, expected: base }, 'commit: plan x');

describe('hooks', () => {
  it('run nowhere unless they are asked for', async () => {
    for (const name of [
      'pre-commit',
      'commit-msg',
      'reference-transaction',
      'post-index-change',
      'post-checkout',
    ])
      setHook(name, `touch ${seen(name)}; exit 1`);
    const made = await plan(false);
    await record(made);
    const update = await made.host.beginBranchUpdate({
      branch: MAIN,
      from: base,
      to: made.commit,
      message: 'm',
    });
    await update.apply();
    expect(
      ['pre-commit', 'commit-msg', 'reference-transaction'].filter((name) => existsSync(seen(name))),
    ).toEqual([]);
  });

  it('see the commit as it will be, and are told when it is there', async () => {
    setHook('pre-commit', `git diff --cached --name-only > ${seen('pre-commit')}`);
    setHook('commit-msg', `cat "$1" > ${seen('commit-msg')}`);
    setHook('post-commit', `git rev-parse HEAD > ${seen('post-commit')}`);
    setHook('post-merge', `git rev-parse HEAD > ${seen('post-merge')}; exit 1`);
    const made = await plan(true);
    await record(made);
    const update = await made.host.beginBranchUpdate({
      branch: MAIN,
      from: base,
      to: made.commit,
      message: 'm',
    });
    await update.apply();
    const said = ['pre-commit', 'commit-msg', 'post-commit', 'post-merge'].map((name) =>
      readFileSync(seen(name), 'utf8').trim(),
    );
    expect(said).toEqual(['a', 'plan x', made.commit, made.commit]);
  });

  it.each(['pre-commit', 'commit-msg'])('may refuse, and nothing is changed: %s', async (name) => {
    setHook(name, 'echo "not like this" >&2; exit 1');
    const made = await plan(true);
    await expect(record(made)).rejects.toMatchObject({
      code: 'GIT_HOOK_FAILED',
      message: `the hook ${name} refused: not like this`,
      data: { hook: name },
    });
    expect(revision(root, BRANCH)).toBe(base);
    expect(git(made.worktree.path, 'status', '--porcelain')).toBe(' M a');
  });
});
