import {
  detectRenames,
  diffTrees,
  type FileChange as RenamedChange,
  lineStatistics,
  type ObjectId,
  unifiedDiff,
} from '@cleveragents/git-domain';
import type { FileChange, ObjectStore } from '@cleveragents/git-ports';

/** See `WorktreeHost.compareTrees`. */
export async function compareTrees(
  objects: ObjectStore,
  from: ObjectId | null,
  to: ObjectId,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  // one after the other: each holds two whole files
  for (const change of await changesBetween(objects, from, to)) {
    const { path, before, after, renamedFrom } = change;
    const statistics = await lineStatistics(objects, change);
    changes.push({ path, before, after, renamedFrom, kind: kindOf(change), ...statistics });
  }
  return changes;
}

/** See `WorktreeHost.formatPatch`. */
export async function formatPatch(
  objects: ObjectStore,
  from: ObjectId | null,
  to: ObjectId,
): Promise<Uint8Array> {
  return unifiedDiff(objects, await changesBetween(objects, from, to));
}

async function changesBetween(
  objects: ObjectStore,
  from: ObjectId | null,
  to: ObjectId,
): Promise<readonly RenamedChange[]> {
  return detectRenames(objects, await diffTrees(objects, from, to));
}

function kindOf({ before, after, renamedFrom }: RenamedChange): FileChange['kind'] {
  if (renamedFrom !== null) return 'renamed';
  if (before === null) return 'added';
  return after === null ? 'deleted' : 'modified';
}
