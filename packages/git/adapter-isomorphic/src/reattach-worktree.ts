import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GitError, type LostWorktree } from '@cleveragents/git-ports';
import { adminPointsTo, endInitialising, isMadeAs, makeAdminFolder, pointsTo } from './admin-folder.ts';
import { fileSystemError, readTextIfThere } from './file-access.ts';
import type { RepositoryCore } from './repository.ts';
import { lstatIfThere } from './steady-file.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** Writes the index of a worktree that has none. */
export type WriteIndex = (layout: WorktreeLayout) => Promise<void>;

/** Names in an admin folder what made it, where no operation did. */
const OPERATION = 'reattached';

/** See `WorktreeHost.reattachWorktree`. */
export async function reattachWorktree(
  { layout: { commonDirectory } }: RepositoryCore,
  worktree: LostWorktree,
  writeIndex: WriteIndex,
): Promise<void> {
  const { path, gitDirectory } = worktree;
  if (dirname(gitDirectory) !== join(commonDirectory, 'worktrees') || !isProven(worktree))
    throw unproven(worktree);
  if (!isReplaceable(join(path, '.git'))) throw ownRepository(worktree);
  try {
    if (lstatIfThere(gitDirectory) === null) makeAdminOf(worktree);
    if (readTextIfThere(join(gitDirectory, 'gitdir')) === null)
      writeFileSync(join(gitDirectory, 'gitdir'), `${join(path, '.git')}\n`);
    if (!pointsTo(path, gitDirectory)) writePointer(path, gitDirectory);
    if (lstatIfThere(join(gitDirectory, 'index')) === null)
      await writeIndex({ workTree: path, gitDirectory, commonDirectory });
    if (readTextIfThere(join(gitDirectory, 'locked'))?.trim() === 'initializing')
      endInitialising(gitDirectory);
  } catch (error) {
    throw fileSystemError(`cannot join ${path} and ${gitDirectory}`, error);
  }
}

/** One pointer, or the folder's own identity, is enough; an admin folder of another worktree is none. */
function isProven({ path, gitDirectory }: LostWorktree): boolean {
  if (lstatIfThere(path)?.isDirectory() !== true) return false;
  if (lstatIfThere(gitDirectory) === null) return pointsTo(path, gitDirectory);
  const isElsewhere =
    readTextIfThere(join(gitDirectory, 'gitdir')) !== null && !adminPointsTo(gitDirectory, path);
  return !isElsewhere && (pointsTo(path, gitDirectory) || isMadeAs(path, gitDirectory));
}

/** What else an agent put there may be a repository with commits of its own. */
function isReplaceable(pointer: string): boolean {
  return lstatIfThere(pointer)?.isFile() ?? true;
}

/** As a new file: the old one may be known under another name, outside, too. */
function writePointer(path: string, gitDirectory: string): void {
  const pointer = join(path, '.git');
  rmSync(pointer, { force: true });
  writeFileSync(pointer, `gitdir: ${gitDirectory}\n`, { flag: 'wx' });
}

function makeAdminOf({ path, gitDirectory, owner, branch }: LostWorktree): void {
  const { ino, birthtimeMs } = lstatSync(path);
  makeAdminFolder({
    directory: gitDirectory,
    path,
    owner: { ...owner, branch },
    operation: OPERATION,
    folder: { ino, birthtimeMs },
  });
}

function unproven({ path, gitDirectory }: LostWorktree): GitError {
  return new GitError(
    'GIT_WORKTREE_BROKEN',
    `nothing proves that ${path} is the worktree of ${gitDirectory}`,
    {
      hint: 'Save its files by hand if you need them, then remove the folder.',
      data: { path, gitDirectory },
    },
  );
}

function ownRepository({ path, gitDirectory }: LostWorktree): GitError {
  const own = join(path, '.git');
  return new GitError('GIT_WORKTREE_BROKEN', `${own} is no pointer of a worktree any more`, {
    hint: `Move ${own} away, which may be a repository of its own, then try again.`,
    data: { path, gitDirectory },
  });
}
