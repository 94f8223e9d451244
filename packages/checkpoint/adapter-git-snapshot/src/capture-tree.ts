import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CaptureOptions } from '@cleveragents/checkpoint-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import type { ObjectDatabase } from './objects/object-database.ts';
import type { SnapshotObjects } from './objects/snapshot-objects.ts';
import { CoverageWish, TreeLookup } from './scan/coverage-wish.ts';
import type { TreeModel } from './scan/tree-model.ts';
import { type LargeFile, TreeScan } from './scan/tree-scan.ts';
import { readWorkTree } from './scan/work-tree.ts';

export interface CaptureTask {
  readonly root: string;
  readonly model: TreeModel;
  readonly objects: ObjectDatabase;
  readonly maxFileBytes: number;
  /** Snapshots whose paths are covered whatever the ignore files say. */
  readonly held: readonly SnapshotObjects[];
}

/** Brings the model up to the disk, and puts the blobs that are new. */
export async function captureTree(task: CaptureTask, options: CaptureOptions): Promise<void> {
  const { root, model, objects, maxFileBytes, held } = task;
  const { ignoreTexts, tracked } = readWorkTree(root);
  const wish = new CoverageWish({
    tracked,
    includeIgnored: options.includeIgnored ?? [],
    held: held.map(({ files }) => new TreeLookup(objects, files)),
  });
  const scan = new TreeScan({
    ...{ root, model, objects, maxFileBytes, ignoreTexts, wish },
    startedAtMs: Date.now(),
  });
  const paths = pathsToLookAt(task, options, wish);
  await inTurns(paths === null ? scan.everything() : scan.paths(paths), options.signal);
  model.stale.clear();
  model.holdsOnRequest = wish.wasGranted;
  for (const file of scan.large) {
    options.signal?.throwIfAborted();
    await putLargeFile(task, file);
  }
}

/** `null`: everything. */
function pathsToLookAt(
  { model }: CaptureTask,
  { changedPaths, includeIgnored }: CaptureOptions,
  wish: CoverageWish,
): readonly string[] | null {
  const isOnRequest = model.holdsOnRequest || includeIgnored !== undefined;
  if (changedPaths === undefined || isOnRequest) return null;
  const wished = [...model.uncovered].filter(([path, reason]) => reason === 'ignored' && wish.holds(path));
  const paths = new Set([...changedPaths, ...model.stale, ...wished.map(([path]) => path)]);
  return [...paths].some(changesRules) ? null : [...paths];
}

/** What an ignore file says reaches far beyond the file itself. */
function changesRules(path: string): boolean {
  return path.split('/').at(-1) === '.gitignore';
}

async function inTurns(steps: Generator<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  for (const _ of steps) {
    await nextTurn();
    signal?.throwIfAborted();
  }
}

/** Read a second time: what then no longer is what was hashed is still changing, and not covered. */
async function putLargeFile({ root, model, objects }: CaptureTask, file: LargeFile): Promise<void> {
  try {
    await objects.putLarge(file.blob, file.size, () => createReadStream(join(root, file.path)));
  } catch (error) {
    if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EROFS')) throw error;
    model.remove(file.directory, file.name);
    model.uncovered.set(file.path, 'still-changing');
  }
}
