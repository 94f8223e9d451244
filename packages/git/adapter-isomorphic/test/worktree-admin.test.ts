import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ObjectId } from '@cleveragents/git-domain';
import type { WorktreeEntry } from '@cleveragents/git-ports';
import { commitFiles, git, GIT_ENVIRONMENT, makeProject } from '@cleveragents/shared-testing/real-git';
import { openRepository } from '../src/repository.ts';
import { findRepository } from '../src/repository-layout.ts';
import { findCheckouts, listWorktrees, OWNER_FILE } from '../src/worktree-admin.ts';

let folder: string;
let root: string;
let first: ObjectId;
beforeEach(() => {
  ({ folder, root } = makeProject());
  first = commitFiles(root, { file: '1' });
  commitFiles(root, { file: '2' });
});
async function openIn(directory: string): ReturnType<typeof openRepository> {
  const layout = await findRepository(directory);
  if (layout === null) throw new Error('no repository');
  return openRepository(layout, { environment: GIT_ENVIRONMENT });
}

async function list(directory = root): Promise<readonly WorktreeEntry[]> {
  const { layout, refs } = await openIn(directory);
  return listWorktrees(layout, refs);
}

/** As `git worktree list --porcelain` prints them. */
function printed({ path, head, locked }: WorktreeEntry): string {
  const lines = [
    `worktree ${path}`,
    `HEAD ${head.commit}`,
    head.branch ? `branch ${head.branch}` : 'detached',
  ];
  if (locked !== null) lines.push(locked === '' ? 'locked' : `locked ${locked}`);
  return lines.join('\n');
}

const printedByGit = (directory: string): readonly string[] =>
  git(directory, 'worktree', 'list', '--porcelain')
    .trim()
    .split('\n\n')
    .map((entry) => entry.replace(/\nprunable.*/, ''));

describe('the work trees of a repository', () => {
  it('are those that git lists, with branch, lock and reason, from whichever of them', async () => {
    git(root, 'worktree', 'add', '-q', '-b', 'side', '../side');
    git(root, 'worktree', 'add', '-q', '--detach', '../detached', first);
    git(root, 'worktree', 'add', '-q', '-b', 'locked', '../locked');
    git(root, 'worktree', 'lock', '--reason', 'on a stick', '../locked');
    git(root, 'worktree', 'lock', '../detached');
    for (const directory of [root, join(folder, 'side')])
      expect((await list(directory)).map(printed)).toEqual(printedByGit(directory));
  });

  it('leave out the main one of a bare repository', async () => {
    git(folder, 'clone', '-q', '--bare', 'project', 'bare.git');
    git(join(folder, 'bare.git'), 'worktree', 'add', '-q', '-b', 'side', '../side');
    const expected = [join(folder, 'side')];
    expect((await list(join(folder, 'bare.git'))).map(({ path }) => path)).toEqual(expected);
    expect((await list(join(folder, 'side'))).map(({ path }) => path)).toEqual(expected);
  });

  it('are missing when their folder is gone, and still listed when their HEAD is damaged', async () => {
    git(root, 'worktree', 'add', '-q', '-b', 'gone', '../gone');
    git(root, 'worktree', 'add', '-q', '-b', 'broken', '../broken');
    rmSync(join(folder, 'gone'), { recursive: true });
    writeFileSync(join(root, '.git/worktrees/broken/HEAD'), '');
    const [, broken, gone] = await list();
    expect([gone?.missing, broken?.missing, broken?.head]).toEqual([
      true,
      false,
      { branch: null, commit: null },
    ]);
  });

  it('say whose they are, unless the file is not one of ours', async () => {
    git(root, 'worktree', 'add', '-q', '-b', 'a', '../a');
    git(root, 'worktree', 'add', '-q', '-b', 'b', '../b');
    const owner = { planId: 'plan x', sandboxId: '01', branch: 'refs/heads/a' };
    writeFileSync(join(root, '.git/worktrees/a', OWNER_FILE), JSON.stringify({ ...owner, later: 1 }));
    writeFileSync(join(root, '.git/worktrees/b', OWNER_FILE), '{"planId":');
    expect((await list()).map((entry) => entry.owner)).toEqual([null, owner, null]);
  });
});

describe('a branch is checked out', () => {
  async function holders(branch: string): Promise<unknown> {
    const { layout, refs } = await openIn(root);
    const found = await findCheckouts(layout, refs, `refs/heads/${branch}`);
    return found.map(({ path, through }) => [path, through]);
  }

  it('where HEAD is on it, in no bare repository, and nowhere else', async () => {
    git(root, 'worktree', 'add', '-q', '-b', 'side', '../side');
    git(root, 'branch', 'free');
    expect(await holders('main')).toEqual([[root, 'head']]);
    expect(await holders('side')).toEqual([[join(folder, 'side'), 'head']]);
    expect(await holders('free')).toEqual([]);
  });

  it('where a rebase or a bisect will return to it, as git branch -D sees it', async () => {
    git(root, 'checkout', '-q', '-b', 'topic', first);
    commitFiles(root, { file: 'conflict' });
    expect(() => git(root, 'rebase', 'main')).toThrow();
    git(root, 'worktree', 'add', '-q', '-b', 'hunted', '../hunted', 'main');
    const hunted = join(folder, 'hunted');
    git(hunted, 'bisect', 'start', 'main', first);
    git(hunted, 'checkout', '-q', '--detach');
    expect(await holders('topic')).toEqual([[root, 'rebase']]);
    expect(await holders('hunted')).toEqual([[hunted, 'bisect']]);
    expect(() => git(root, 'branch', '-D', 'topic')).toThrow();
    git(root, 'rebase', '--abort');
    git(hunted, 'bisect', 'reset');
    expect(await holders('topic')).toEqual([[root, 'head']]);
  });
});
