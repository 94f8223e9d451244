import { join } from 'node:path';
import { Holds } from './held-lock.ts';
import { acquireLockFile } from './lock-file.ts';
import { endOperations } from './merge-state.ts';
import type { RepositoryCore } from './repository.ts';
import type { CommitToRecord, InWorktree } from './worktree-content.ts';

/** The index that goes with a commit. */
export interface RecordedIndex {
  /** Asked for under the index's lock. */
  bytes(): Promise<Uint8Array>;
  /** The file has those bytes now. */
  afterwards?(file: string): void;
}

/** Moves a worktree's index, its branch and its HEAD to a commit, under git's locks. */
export async function recordCommit(
  { layout, refs, timeoutMs }: InWorktree<RepositoryCore>,
  { commit, branch, message }: CommitToRecord,
  index: RecordedIndex,
): Promise<void> {
  const holds = new Holds();
  try {
    const lock = await acquireLockFile(join(layout.gitDirectory, 'index'), { timeoutMs });
    holds.add(() => lock.release());
    const update = { name: branch.name, expected: branch.expected, target: commit, message };
    const prepared = await refs.prepare(update, { timeoutMs });
    holds.add(() => prepared.abort());
    await lock.write(await index.bytes());
    await prepared.commit();
    await lock.commit();
    index.afterwards?.(lock.file);
    endOperations(layout.gitDirectory);
    const head = await refs.readHead(layout.gitDirectory);
    if (head.branch !== branch.name)
      await refs.setHead(layout.gitDirectory, { branch: branch.name }, message, { timeoutMs });
  } finally {
    await holds.releaseAfterwards();
  }
}
