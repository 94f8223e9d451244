import { join } from 'node:path';
import {
  type IndexEntry,
  type IndexStage,
  type ObjectId,
  patchIndex,
  readIndex,
} from '@cleveragents/git-domain';
import { GitError, type MergeConflictFact } from '@cleveragents/git-ports';
import { captureTree, type WorktreeRepository } from './capture.ts';
import { fileSystemError } from './file-access.ts';
import { sha1 } from './index-file.ts';
import { acquireLockFile } from './lock-file.ts';
import { writeMergeState } from './merge-state.ts';
import { OperationJournal } from './operation-journal.ts';
import { Pace } from './pace.ts';
import { finishRestore, writeFilesOf } from './restore.ts';

export interface MergeToBegin {
  readonly theirs: ObjectId;
  readonly markedTree: ObjectId;
  readonly conflicts: readonly MergeConflictFact[];
  readonly message: string;
}

/** See `LinkedWorktree.beginMerge`. Undone by putting the worktree back to its HEAD, where it must stand. */
export async function beginMerge(repository: WorktreeRepository, merge: MergeToBegin): Promise<void> {
  const { layout, refs, objects, timeoutMs } = repository;
  const { branch, commit } = await refs.readHead(layout.gitDirectory);
  if (branch === null || commit === null) throw notAtHead(layout.workTree);
  const { tree } = await captureTree(repository);
  if (tree !== objects.readCommitSync(commit).tree) throw notAtHead(layout.workTree);
  const payload = { path: layout.workTree, layout, commit, branch };
  await new OperationJournal(layout).run('restore-worktree', payload, {
    work: async () => {
      const lock = await acquireLockFile(join(layout.gitDirectory, 'index'), { timeoutMs });
      try {
        const bytes = await writeFilesOf(repository, merge.markedTree, new Pace('merge', { timeoutMs }));
        await lock.write(withStages(bytes, merge.conflicts));
        await lock.commit();
        const conflicts = merge.conflicts.map(({ path }) => path);
        writeMergeState(layout.gitDirectory, { theirs: merge.theirs, message: merge.message, conflicts });
      } catch (error) {
        throw fileSystemError(`cannot begin a merge in ${layout.workTree}`, error);
      } finally {
        await lock.release();
      }
    },
    undo: (entry) => finishRestore(repository, entry),
  });
}

function withStages(bytes: Uint8Array, conflicts: readonly MergeConflictFact[]): Uint8Array {
  const set = conflicts.flatMap(({ path, base, ours, theirs }): IndexEntry[] =>
    [base, ours, theirs].flatMap((leaf, at) =>
      leaf === null ? [] : [{ path, ...leaf, stage: (at + 1) as IndexStage }],
    ),
  );
  // a path of which no side is left has no entry
  const remove = conflicts
    .filter(({ base, ours, theirs }) => !base && !ours && !theirs)
    .map(({ path }) => path);
  return patchIndex(readIndex(bytes), { set, remove }, sha1);
}

function notAtHead(workTree: string): GitError {
  return new GitError('GIT_TARGET_CHANGED', `${workTree} does not stand at the tree of its branch`, {
    hint: 'Commit or undo what was changed there first.',
    data: { paths: [workTree] },
  });
}
