import type { ObjectId } from '@cleveragents/git-domain';
import type { FileChange, ObjectStore } from '@cleveragents/git-ports';

export async function compareTrees(
  objects: ObjectStore,
  from: ObjectId | null,
  to: ObjectId,
): Promise<readonly FileChange[]> {
  throw new Error(`not written yet ${String(objects)} ${from} ${to}`);
}

export async function formatPatch(
  objects: ObjectStore,
  from: ObjectId | null,
  to: ObjectId,
): Promise<Uint8Array> {
  throw new Error(`not written yet ${String(objects)} ${from} ${to}`);
}
