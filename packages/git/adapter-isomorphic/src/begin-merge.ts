import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { GitError, type MergeConflictFact } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import { fileSystemError } from './file-access.ts';
import { acquireLockFile } from './lock-file.ts';
import { writeMergeState } from './merge-state.ts';
import { OperationJournal } from './operation-journal.ts';
import { Pace } from './pace.ts';
import { finishRestore, type RestorePayload } from './restore.ts';
import type { EngineRepository, InWorktree, WorktreeContent } from './worktree-content.ts';

export interface MergeToBegin {
  readonly theirs: ObjectId;
  readonly markedTree: ObjectId;
  readonly conflicts: readonly MergeConflictFact[];
  readonly message: string;
}

/** See `LinkedWorktree.beginMerge`. Undone by putting the worktree back to its HEAD, where it must stand. */
export async function beginMerge<Own extends EngineRepository>(
  repository: InWorktree<Own>,
  merge: MergeToBegin,
  content: WorktreeContent<Own>,
): Promise<void> {
  const { layout, refs, objects } = repository;
  const { branch, commit } = await refs.readHead(layout.gitDirectory);
  if (branch === null || commit === null) throw notAtHead(layout.workTree);
  const { tree } = await content.capture(repository);
  if (tree !== (await objects.readCommit(commit)).tree) throw notAtHead(layout.workTree);
  const payload: RestorePayload = { path: layout.workTree, layout, commit, branch };
  await new OperationJournal(layout).run('restore-worktree', payload, {
    work: (entry) => writeMerge(repository, merge, { content, entry }),
    undo: (entry) => finishRestore<Own>(repository, entry, content),
  });
}

async function writeMerge<Own extends EngineRepository>(
  repository: InWorktree<Own>,
  { theirs, markedTree: tree, conflicts, message }: MergeToBegin,
  { content, entry }: { content: WorktreeContent<Own>; entry: JournalEntry },
): Promise<void> {
  const { layout, timeoutMs } = repository;
  const lock = await acquireLockFile(join(layout.gitDirectory, 'index'), { timeoutMs });
  try {
    const pace = new Pace('merge', { timeoutMs });
    await lock.write(await content.writeFiles(repository, { tree, conflicts, pace, entry }));
    await lock.commit();
    writeMergeState(layout.gitDirectory, { theirs, message, conflicts: conflicts.map(({ path }) => path) });
  } catch (error) {
    throw fileSystemError(`cannot begin a merge in ${layout.workTree}`, error);
  } finally {
    await lock.release();
  }
}

function notAtHead(workTree: string): GitError {
  return new GitError('GIT_TARGET_CHANGED', `${workTree} does not stand at the tree of its branch`, {
    hint: 'Commit or undo what was changed there first.',
    data: { paths: [workTree] },
  });
}
