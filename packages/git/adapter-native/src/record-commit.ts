import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { askHooks, tellHook } from './hooks.ts';
import { refresh } from './index-info.ts';
import type { WorktreeRepository } from './native-repository.ts';
import { withPrivateIndex } from './private-index.ts';
import { acquireLockFile, Deadline, endOperations, Holds, type WorktreeLayout } from './shared-parts.ts';

export interface RecordRequest {
  readonly commit: ObjectId;
  readonly branch: { readonly name: string; readonly expected: ObjectId };
  readonly message: string;
}

/** See `LinkedWorktree.record`. */
export async function recordCommit(
  repository: WorktreeRepository,
  { commit, branch, message }: RecordRequest,
): Promise<void> {
  const { layout, objects, refs, timeoutMs } = repository;
  const { tree } = await objects.readCommit(commit);
  if (repository.runsHooks) await askHooks(repository, commit);
  const holds = new Holds();
  try {
    const lock = await acquireLockFile(join(layout.gitDirectory, 'index'), { timeoutMs });
    holds.add(() => lock.release());
    const update = { name: branch.name, expected: branch.expected, target: commit, message };
    const prepared = await refs.prepare(update, { timeoutMs });
    holds.add(() => prepared.abort());
    const lookedAt = Math.floor(Date.now() / 1000);
    await lock.write(await indexOf(repository, layout, tree));
    await prepared.commit();
    await lock.commit();
    // git is in doubt of each file that was written since it looked
    utimesSync(join(layout.gitDirectory, 'index'), lookedAt, lookedAt);
    endOperations(layout.gitDirectory);
    const head = await refs.readHead(layout.gitDirectory);
    if (head.branch !== branch.name)
      await refs.setHead(layout.gitDirectory, { branch: branch.name }, message, { timeoutMs });
  } finally {
    await holds.releaseAfterwards();
  }
  if (repository.runsHooks) await tellHook(repository, layout, 'post-commit');
}

/** What the index knows of files that are the same in the tree is kept. */
function indexOf(
  { git, timeoutMs }: WorktreeRepository,
  layout: WorktreeLayout,
  tree: ObjectId,
): Promise<Uint8Array> {
  const deadline = new Deadline({ timeoutMs });
  return withPrivateIndex(git, layout, { from: 'index', deadline }, async (index) => {
    await index.run(['read-tree', '--reset', '--no-recurse-submodules', tree]);
    await refresh(index);
    return index.bytes();
  });
}
