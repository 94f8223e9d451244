import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  GitError,
  type OperationOptions,
  type WorktreeRemoval,
  type WorktreeRemovalResult,
} from '@cleveragents/git-ports';
import { type JournalEntry, processMark, removeTree } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import {
  adminPointsTo,
  isEmptyFolder,
  isMadeAs,
  isOwnedWithoutPointer,
  pointsTo,
  removeIfEmpty,
} from './admin-folder.ts';
import { fileSystemError } from './file-access.ts';
import { OperationJournal } from './operation-journal.ts';
import { Pace } from './pace.ts';
import type { RepositoryCore } from './repository.ts';
import { lstatIfThere } from './steady-file.ts';
import { findCheckouts } from './worktree-admin.ts';

type LeftOver = WorktreeRemovalResult['leftOver'][number];

interface RemovePayload extends WorktreeRemoval {
  /** Where the folder lies while it is taken apart. */
  readonly aside: string;
}

/** See `WorktreeHost.removeWorktree`. Once begun it can only go forward: `recover` finishes it. */
export async function removeWorktree(
  repository: RepositoryCore,
  removal: WorktreeRemoval,
  options: OperationOptions = {},
): Promise<WorktreeRemovalResult> {
  const pace = new Pace('remove', { timeoutMs: repository.timeoutMs, ...options });
  pace.deadline.check();
  await requireUnmoved(repository, removal);
  const aside = join(dirname(removal.path), `.cleveragents-${processMark()}`);
  const payload: RemovePayload = { ...removal, aside };
  const journal = new OperationJournal(repository.layout);
  const entry = await journal.begin('remove-worktree', payload);
  try {
    return await finishRemoval(repository, entry);
  } catch (error) {
    throw fileSystemError(`cannot remove the worktree ${removal.path}`, error);
  } finally {
    journal.leave(entry);
  }
}

/** @throws GitError `GIT_REF_MOVED`. */
async function requireUnmoved({ refs }: RepositoryCore, { branch }: WorktreeRemoval): Promise<void> {
  if (branch === null) return;
  const actual = await refs.read(branch.name);
  if (actual === null || actual === branch.expected) return;
  throw new GitError('GIT_REF_MOVED', `${branch.name} is at ${actual}, not at ${branch.expected}`, {
    data: { ref: branch.name, expected: branch.expected, actual },
  });
}

/** Does what is left to do of a removal. The entry stays when files do: then the next recovery tries again. */
export async function finishRemoval(
  repository: RepositoryCore,
  entry: JournalEntry,
): Promise<WorktreeRemovalResult> {
  const { path, gitDirectory, branch, aside } = entry.payload as RemovePayload;
  const leftOver: LeftOver[] = [];
  const doomed = moveAside({ path, gitDirectory, aside }, leftOver);
  moveAdminFolder({ path, gitDirectory, into: entry.folder }, leftOver);
  const branchDeleted = branch !== null && (await deleteBranch(repository, branch, leftOver));
  const isTakenApart = doomed === null || (await takeApart(doomed, leftOver));
  if (isTakenApart) await entry.complete();
  const worktreeRemoved =
    lstatIfThere(gitDirectory) === null && !leftOver.some((left) => left.path !== branch?.name);
  return { worktreeRemoved, branchDeleted, leftOver };
}

interface Removing {
  readonly path: string;
  readonly gitDirectory: string;
}

/** Gives the folder's name free at once. What cannot be proved to be the worktree stays. */
function moveAside(
  { path, gitDirectory, aside }: Removing & { aside: string },
  leftOver: LeftOver[],
): string | null {
  if (lstatIfThere(aside) !== null) return aside;
  if (lstatIfThere(path) === null) return null;
  if (!pointsTo(path, gitDirectory) && !isMadeAs(path, gitDirectory) && !isEmptyFolder(path)) {
    leftOver.push({ path, reason: 'it is not the worktree that was made here' });
    return null;
  }
  try {
    renameSync(path, aside);
    return aside;
  } catch (error) {
    // a parent that is not ours to write in, or a mount point
    if (hasCode(error, 'EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'EROFS')) return path;
    throw error;
  }
}

/** In one step, so that git sees the whole admin folder or none. */
function moveAdminFolder(
  { path, gitDirectory, into }: Removing & { into: string },
  leftOver: LeftOver[],
): void {
  if (lstatIfThere(gitDirectory) === null) return;
  if (!adminPointsTo(gitDirectory, path) && !isOwnedWithoutPointer(gitDirectory)) {
    leftOver.push({ path: gitDirectory, reason: 'it belongs to another worktree' });
    return;
  }
  mkdirSync(into, { recursive: true });
  renameSync(gitDirectory, join(into, 'admin'));
  removeIfEmpty(dirname(gitDirectory));
}

async function deleteBranch(
  { layout, refs, timeoutMs }: RepositoryCore,
  branch: NonNullable<WorktreeRemoval['branch']>,
  leftOver: LeftOver[],
): Promise<boolean> {
  const [holder] = await findCheckouts(layout, refs, branch.name);
  if (holder !== undefined) {
    leftOver.push({ path: branch.name, reason: `it is checked out at ${holder.path}` });
    return false;
  }
  try {
    await refs.delete(branch.name, branch.expected, { timeoutMs });
    return true;
  } catch (error) {
    if (!hasCode(error, 'GIT_REF_MOVED', 'GIT_LOCKED')) throw error;
    leftOver.push({ path: branch.name, reason: error.message });
    return false;
  }
}

/** False when something of it stays. */
async function takeApart(doomed: string, leftOver: LeftOver[]): Promise<boolean> {
  const { kept } = await removeTree(doomed, { within: dirname(doomed) });
  leftOver.push(...kept.map(({ path, code }) => ({ path, reason: code })));
  return kept.length === 0;
}
