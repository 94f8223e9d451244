import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { GitError, type OperationOptions } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import { pointsTo } from './admin-folder.ts';
import { fileSystemError } from './file-access.ts';
import { GitConfig } from './git-config.ts';
import { acquireLockFile, type LockFile } from './lock-file.ts';
import { endOperations } from './merge-state.ts';
import { OperationJournal } from './operation-journal.ts';
import { Pace } from './pace.ts';
import { lstatIfThere } from './steady-file.ts';
import type { EngineRepository, InWorktree, WorktreeContent } from './worktree-content.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** As both engines write and read it: either may have to finish it. */
export interface RestorePayload {
  readonly path: string;
  readonly layout: WorktreeLayout;
  readonly commit: ObjectId;
  readonly branch: string;
}

type Content<Own extends EngineRepository> = Pick<WorktreeContent<Own>, 'writeFiles'>;

/** See `LinkedWorktree.restore`. Once begun it can only go forward: `recover` finishes it. */
export async function restoreWorktree<Own extends EngineRepository>(
  repository: InWorktree<Own>,
  { commit, branch }: { readonly commit: ObjectId; readonly branch: string },
  content: Content<Own>,
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
    await carryOut(repository, content, { entry, lock, pace });
    await entry.complete();
  } catch (error) {
    throw fileSystemError(`cannot restore the worktree ${layout.workTree}`, error);
  } finally {
    journal.leave(entry);
    await lock.release();
  }
}

/** Does what is left to do of a restore. A worktree that is gone needs none. */
export async function finishRestore<Own extends EngineRepository>(
  repository: Own,
  entry: JournalEntry,
  content: Content<Own>,
): Promise<void> {
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
    await carryOut({ ...repository, layout, config }, content, { entry, lock, pace });
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

async function carryOut<Own extends EngineRepository>(
  repository: InWorktree<Own>,
  content: Content<Own>,
  { entry, lock, pace }: { entry: JournalEntry; lock: LockFile; pace: Pace },
): Promise<void> {
  const { commit, branch } = entry.payload as RestorePayload;
  const { layout, objects, refs, timeoutMs } = repository;
  const { tree } = await objects.readCommit(commit);
  await lock.write(await content.writeFiles(repository, { tree, conflicts: [], pace, entry }));
  await lock.commit();
  endOperations(layout.gitDirectory);
  const message = `reset: moving to ${commit}`;
  const actual = await refs.read(branch);
  if (actual !== commit)
    await refs.update({ name: branch, expected: actual, target: commit, message }, { timeoutMs });
  const head = await refs.readHead(layout.gitDirectory);
  if (head.branch !== branch) await refs.setHead(layout.gitDirectory, { branch }, message, { timeoutMs });
}
