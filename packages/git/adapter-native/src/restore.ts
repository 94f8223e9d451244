import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { GitError, type OperationOptions } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import type { NativeRepository, WorktreeRepository } from './native-repository.ts';
import {
  acquireLockFile,
  endOperations,
  fileSystemError,
  GitConfig,
  type LockFile,
  lstatIfThere,
  makeStagingFolder,
  OperationJournal,
  Pace,
  pointsTo,
  removeStagingFolder,
  stagingFolderFor,
  type WorktreeLayout,
} from './shared-parts.ts';
import { writeFilesOf } from './write-files.ts';

/** As the other engine writes it: either may have to finish it. */
export interface RestorePayload {
  readonly path: string;
  readonly layout: WorktreeLayout;
  readonly commit: ObjectId;
  readonly branch: string;
}

/** See `LinkedWorktree.restore`. Once begun it can only go forward: `recover` finishes it. */
export async function restoreWorktree(
  repository: WorktreeRepository,
  { commit, branch }: { readonly commit: ObjectId; readonly branch: string },
  options: OperationOptions = {},
): Promise<void> {
  const { layout, timeoutMs, objects } = repository;
  const pace = new Pace('restore', { timeoutMs, ...options });
  await objects.readCommit(commit);
  const lock = await lockIndex(layout, pace);
  const journal = new OperationJournal(layout);
  const payload: RestorePayload = { path: layout.workTree, layout, commit, branch };
  const entry = await journal.begin('restore-worktree', payload).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  try {
    await carryOut(repository, entry, { lock, pace });
    await entry.complete();
  } catch (error) {
    throw fileSystemError(`cannot restore the worktree ${layout.workTree}`, error);
  } finally {
    journal.leave(entry);
    await lock.release();
  }
}

/** Does what is left to do of a restore. A worktree that is gone needs none. */
export async function finishRestore(repository: NativeRepository, entry: JournalEntry): Promise<void> {
  const { layout } = entry.payload as RestorePayload;
  if (lstatIfThere(layout.gitDirectory) === null || lstatIfThere(layout.workTree) === null) return;
  if (!pointsTo(layout.workTree, layout.gitDirectory))
    throw new GitError(
      'GIT_WORKTREE_BROKEN',
      `${layout.workTree} is no worktree of ${layout.gitDirectory} any more`,
      { data: { path: layout.workTree } },
    );
  const pace = new Pace('restore', { timeoutMs: repository.timeoutMs });
  const config = await GitConfig.load(layout, repository.environment);
  const lock = await lockIndex(layout, pace);
  try {
    await carryOut({ ...repository, layout, config }, entry, { lock, pace });
  } finally {
    await lock.release();
  }
}

function lockIndex({ gitDirectory }: WorktreeLayout, { deadline }: Pace): Promise<LockFile> {
  return acquireLockFile(join(gitDirectory, 'index'), {
    timeoutMs: deadline.remainingMs,
    signal: deadline.signal,
  });
}

async function carryOut(
  repository: WorktreeRepository,
  entry: JournalEntry,
  { lock, pace }: { lock: LockFile; pace: Pace },
): Promise<void> {
  const { commit, branch } = entry.payload as RestorePayload;
  const { layout, objects, refs, timeoutMs } = repository;
  const { tree } = await objects.readCommit(commit);
  const folder = stagingFolderFor(layout, entry.id);
  makeStagingFolder(folder);
  try {
    await lock.write(await writeFilesOf(repository, { tree, folder, pace }));
  } finally {
    await removeStagingFolder(folder);
  }
  await lock.commit();
  endOperations(layout.gitDirectory);
  const message = `reset: moving to ${commit}`;
  const actual = await refs.read(branch);
  if (actual !== commit)
    await refs.update({ name: branch, expected: actual, target: commit, message }, { timeoutMs });
  const head = await refs.readHead(layout.gitDirectory);
  if (head.branch !== branch) await refs.setHead(layout.gitDirectory, { branch }, message, { timeoutMs });
}
