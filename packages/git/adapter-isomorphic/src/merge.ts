import type { MergeRequest, MergeResult, OperationOptions } from '@cleveragents/git-ports';
import { Deadline } from './deadline.ts';
import { mergeByRules } from './merge-by-rules.ts';
import { PacedObjects } from './paced-objects.ts';
import type { Repository } from './repository.ts';

/** See `WorktreeHost.merge`. */
export async function mergeOnObjects(
  { objects, config, timeoutMs }: Repository,
  request: MergeRequest,
  { signal, onProgress }: OperationOptions = {},
): Promise<MergeResult> {
  const deadline = new Deadline({ timeoutMs, signal });
  deadline.check();
  onProgress?.({ phase: 'merge', done: 0, total: null });
  const result = await mergeByRules(new PacedObjects(objects, deadline), config, request);
  await objects.flush();
  return result;
}
