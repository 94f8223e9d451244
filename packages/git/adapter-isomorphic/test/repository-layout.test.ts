import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  commitFiles,
  git,
  makeRepository,
  temporaryFolder,
  write,
} from '@cleveragents/shared-testing/real-git';
import { findRepository, gitPath } from '../src/repository-layout.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
/** The same question, put to git. */
function gitLayout(directory: string): object {
  const [bare, gitDirectory, commonDirectory] = git(
    directory,
    'rev-parse',
    '--path-format=absolute',
    '--is-inside-work-tree',
    '--absolute-git-dir',
    '--git-common-dir',
  ).split('\n');
  const workTree = bare === 'true' ? git(directory, 'rev-parse', '--show-toplevel') : null;
  return { workTree, gitDirectory, commonDirectory };
}

describe('finding the repository of a directory', () => {
  it('climbs from any folder to the root of the work tree', async () => {
    const root = makeRepository(join(folder, 'project'));
    write(root, 'deep/er/file', 'x');
    expect(await findRepository(join(root, 'deep/er'))).toEqual(gitLayout(join(root, 'deep/er')));
    expect(await findRepository(root)).toEqual({
      workTree: root,
      gitDirectory: join(root, '.git'),
      commonDirectory: join(root, '.git'),
    });
  });

  it('tells the private folder of a linked worktree from the shared one', async () => {
    const root = makeRepository(join(folder, 'project'));
    commitFiles(root, { file: 'x' });
    git(root, 'worktree', 'add', '-q', '../linked');
    expect(await findRepository(join(folder, 'linked'))).toEqual({
      workTree: join(folder, 'linked'),
      gitDirectory: join(root, '.git/worktrees/linked'),
      commonDirectory: join(root, '.git'),
    });
  });

  it('follows links to the work tree and to the git folder', async () => {
    const root = makeRepository(join(folder, 'project'), '--separate-git-dir', join(folder, 'store'));
    symlinkSync(root, join(folder, 'link'));
    expect(await findRepository(join(folder, 'link'))).toEqual(gitLayout(root));
    rmSync(join(root, '.git'));
    symlinkSync(join(folder, 'store'), join(root, '.git'));
    expect(await findRepository(root)).toEqual({
      workTree: root,
      gitDirectory: join(folder, 'store'),
      commonDirectory: join(folder, 'store'),
    });
  });

  it('finds a bare repository, and the git folder from inside it, without a work tree', async () => {
    const bare = makeRepository(join(folder, 'bare.git'), '--bare');
    const root = makeRepository(join(folder, 'project'));
    expect(await findRepository(bare)).toEqual(gitLayout(bare));
    expect(await findRepository(join(bare, 'refs/heads'))).toEqual(gitLayout(bare));
    expect((await findRepository(join(root, '.git')))?.workTree).toBeNull();
  });

  it('takes the work tree that core.worktree names, as a submodule has it', async () => {
    const library = makeRepository(join(folder, 'library'));
    commitFiles(library, { file: 'x' });
    const root = makeRepository(join(folder, 'project'));
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
    expect(await findRepository(join(root, 'sub'))).toEqual(gitLayout(join(root, 'sub')));
  });

  it('has no work tree where core.bare says so', async () => {
    const root = makeRepository(join(folder, 'project'));
    git(root, 'config', 'core.bare', 'true');
    expect((await findRepository(root))?.workTree).toBeNull();
  });

  it('passes by a .git folder that is no repository, as git does', async () => {
    const root = makeRepository(join(folder, 'project'));
    mkdirSync(join(root, 'inner/.git'), { recursive: true });
    expect((await findRepository(join(root, 'inner')))?.workTree).toBe(root);
  });

  it('finds nothing outside of a repository, nor for a folder that is not there', async () => {
    expect(await findRepository(folder)).toBeNull();
    expect(await findRepository(join(folder, 'missing'))).toBeNull();
  });

  it.each([
    ['leads to nothing', 'gitdir: /nowhere/at/all\n'],
    ['is no pointer', 'something else'],
  ])('stops at a .git file that %s instead of climbing to an outer repository', async (_, content) => {
    const root = makeRepository(join(folder, 'project'));
    mkdirSync(join(root, 'inner'));
    writeFileSync(join(root, 'inner/.git'), content);
    await expect(findRepository(join(root, 'inner'))).rejects.toMatchObject({ code: 'GIT_WORKTREE_BROKEN' });
  });
});

describe('which folder a file of git lies in', () => {
  it('is decided as git decides it, for private and shared files', () => {
    const root = makeRepository(join(folder, 'project'));
    commitFiles(root, { file: 'x' });
    git(root, 'worktree', 'add', '-q', '../linked');
    const linked = join(folder, 'linked');
    const layout = {
      gitDirectory: join(root, '.git/worktrees/linked'),
      commonDirectory: join(root, '.git'),
    };
    const names =
      `HEAD HEAD.lock index index.lock ORIG_HEAD MERGE_HEAD config config.lock config.worktree packed-refs shallow
      packed-refs.lock refs/heads/main refs/heads/main.lock refs/bisect/bad refs/worktree/x refs/rewritten/y refs/stash
      logs/HEAD logs/refs/heads/main logs/refs/bisect/bad objects/pack info/exclude info/sparse-checkout hooks/pre-commit
      worktrees/linked rebase-merge/done gc.pid rr-cache/x lost-found/x unknown`.split(/\s+/);
    const answers = names.map((name) =>
      git(linked, 'rev-parse', '--path-format=absolute', '--git-path', name),
    );
    expect(names.map((name) => gitPath(layout, name))).toEqual(answers);
  });
});
