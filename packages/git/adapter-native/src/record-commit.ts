import { utimesSync } from 'node:fs';
import type { ObjectId } from '@cleveragents/git-domain';
import { askHooks, tellHook } from './hooks.ts';
import { refresh } from './index-info.ts';
import type { WorktreeRepository } from './native-repository.ts';
import { withPrivateIndex } from './private-index.ts';
import { type CommitToRecord, Deadline, recordCommit as recordUnderLocks } from './shared-parts.ts';

/** See `LinkedWorktree.record`. */
export async function recordCommit(repository: WorktreeRepository, request: CommitToRecord): Promise<void> {
  const { tree } = await repository.objects.readCommit(request.commit);
  if (repository.runsHooks) await askHooks(repository, request.commit);
  let lookedAt = 0;
  await recordUnderLocks(repository, request, {
    bytes: () => {
      lookedAt = Math.floor(Date.now() / 1000);
      return indexOf(repository, tree);
    },
    // git is in doubt of each file that was written since it looked
    afterwards: (file) => utimesSync(file, lookedAt, lookedAt),
  });
  if (repository.runsHooks) await tellHook(repository, repository.layout, 'post-commit');
}

/** What the index knows of files that are the same in the tree is kept. */
function indexOf({ git, layout, timeoutMs }: WorktreeRepository, tree: ObjectId): Promise<Uint8Array> {
  const deadline = new Deadline({ timeoutMs });
  return withPrivateIndex(git, layout, { from: 'index', deadline }, async (index) => {
    await index.run(['read-tree', '--reset', '--no-recurse-submodules', tree]);
    await refresh(index);
    return index.bytes();
  });
}
