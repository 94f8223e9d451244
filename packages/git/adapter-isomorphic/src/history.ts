import type { Commit, ObjectId } from '@cleveragents/git-domain';
import type { MergeRequest, MergeResult, ObjectStore, OperationOptions } from '@cleveragents/git-ports';

export async function isAncestor(
  objects: ObjectStore,
  ancestor: ObjectId,
  descendant: ObjectId,
): Promise<boolean> {
  throw new Error(`not written yet ${String(objects)} ${ancestor} ${descendant}`);
}

export async function listCommits(
  objects: ObjectStore,
  range: { readonly from: ObjectId; readonly to: ObjectId; readonly limit: number },
): Promise<readonly { readonly id: ObjectId; readonly commit: Commit }[]> {
  throw new Error(`not written yet ${String(objects)} ${range.from}`);
}

export async function merge(
  objects: ObjectStore,
  request: MergeRequest,
  options: OperationOptions = {},
): Promise<MergeResult> {
  throw new Error(`not written yet ${String(objects)} ${request.ours} ${String(options)}`);
}
