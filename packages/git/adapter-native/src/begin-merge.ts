import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { GitError, type MergeConflictFact } from '@cleveragents/git-ports';
import { captureTree } from './capture.ts';
import { type IndexSetting, setEntries } from './index-info.ts';
import type { WorktreeRepository } from './native-repository.ts';
import { finishRestore, type RestorePayload } from './restore.ts';
import {
  acquireLockFile,
  fileSystemError,
  makeStagingFolder,
  OperationJournal,
  Pace,
  removeStagingFolder,
  stagingFolderFor,
  writeMergeState,
} from './shared-parts.ts';
import { writeFilesOf } from './write-files.ts';

export interface MergeToBegin {
  readonly theirs: ObjectId;
  readonly markedTree: ObjectId;
  readonly conflicts: readonly MergeConflictFact[];
  readonly message: string;
}

/** See `LinkedWorktree.beginMerge`. Undone by putting the worktree back to its HEAD, where it must stand. */
export async function beginMerge(repository: WorktreeRepository, merge: MergeToBegin): Promise<void> {
  const { layout, refs, objects } = repository;
  const { branch, commit } = await refs.readHead(layout.gitDirectory);
  if (branch === null || commit === null) throw notAtHead(layout.workTree);
  const { tree } = await captureTree(repository);
  if (tree !== (await objects.readCommit(commit)).tree) throw notAtHead(layout.workTree);
  const payload: RestorePayload = { path: layout.workTree, layout, commit, branch };
  await new OperationJournal(layout).run('restore-worktree', payload, {
    work: (entry) => writeMerge(repository, merge, stagingFolderFor(layout, entry.id)),
    undo: (entry) => finishRestore(repository, entry),
  });
}

async function writeMerge(
  repository: WorktreeRepository,
  { theirs, markedTree, conflicts, message }: MergeToBegin,
  folder: string,
): Promise<void> {
  const { layout, timeoutMs } = repository;
  const lock = await acquireLockFile(join(layout.gitDirectory, 'index'), { timeoutMs });
  try {
    makeStagingFolder(folder);
    const files = { tree: markedTree, folder, pace: new Pace('merge', { timeoutMs }) };
    await lock.write(
      await writeFilesOf(repository, files, (index) => setEntries(index, stagesOf(conflicts))),
    );
    await lock.commit();
    writeMergeState(layout.gitDirectory, { theirs, message, conflicts: conflicts.map(({ path }) => path) });
  } catch (error) {
    throw fileSystemError(`cannot begin a merge in ${layout.workTree}`, error);
  } finally {
    await removeStagingFolder(folder);
    await lock.release();
  }
}

/** A path of which no side is left has no entry. */
function stagesOf(conflicts: readonly MergeConflictFact[]): readonly IndexSetting[] {
  return conflicts.flatMap(({ path, base, ours, theirs }) => [
    { path, leaf: null },
    ...[base, ours, theirs].flatMap((leaf, at): readonly IndexSetting[] =>
      leaf === null ? [] : [{ path, leaf, stage: (at + 1) as 1 | 2 | 3 }],
    ),
  ]);
}

function notAtHead(workTree: string): GitError {
  return new GitError('GIT_TARGET_CHANGED', `${workTree} does not stand at the tree of its branch`, {
    hint: 'Commit or undo what was changed there first.',
    data: { paths: [workTree] },
  });
}
