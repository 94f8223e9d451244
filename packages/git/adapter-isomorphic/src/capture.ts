import { join } from 'node:path';
import { readCacheTree } from '@cleveragents/git-domain';
import type { CapturedTree, CaptureOptions } from '@cleveragents/git-ports';
import { writeChangedTree } from './changed-tree.ts';
import { type LoadedIndex, loadIndex } from './index-file.ts';
import { readMergeHead, unresolvedPaths } from './merge-state.ts';
import { Pace } from './pace.ts';
import type { Repository } from './repository.ts';
import { StatCache } from './stat-cache.ts';
import { scanWorktree, type WorktreeLayout } from './worktree-scan.ts';
import { WriteWatch } from './write-watch.ts';

/** A repository seen from a work tree that is there. */
export type WorktreeRepository = Repository & { readonly layout: WorktreeLayout };

/** See `LinkedWorktree.capture`. The index stays untouched. */
export async function captureTree(
  repository: WorktreeRepository,
  { watch: isWatched = false, ...options }: CaptureOptions = {},
): Promise<CapturedTree> {
  if (!isWatched) return capture(repository, options);
  const watch = new WriteWatch();
  try {
    return { ...(await capture(repository, options, watch)), watch };
  } catch (error) {
    watch.close();
    throw error;
  }
}

async function capture(
  { layout, config, objects, timeoutMs }: WorktreeRepository,
  { omit, signal, onProgress }: CaptureOptions,
  watch?: WriteWatch,
): Promise<CapturedTree> {
  const pace = new Pace('scan', { timeoutMs, signal, onProgress });
  watch?.addFile(join(layout.gitDirectory, 'index'));
  const index = loadIndex(layout.gitDirectory);
  const known = StatCache.load(layout.gitDirectory);
  pace.begin('scan', index.view.entryCount);
  const scan = await scanWorktree({
    layout,
    config,
    index,
    pace,
    known,
    omit,
    keepContent: (bytes) => objects.writeBlobSync(bytes),
    hasContent: (id) => objects.hasSync(id),
    onDirectory: (address) => watch?.addDirectory(address),
  });
  const tree = writeChangedTree(objects, {
    index,
    cacheTree: readCacheTree(index.view),
    changes: [...scan.differing, ...scan.untracked],
  });
  await objects.flush();
  await known.save();
  return {
    tree,
    fileCount: scan.fileCount,
    omitted: scan.omitted,
    unresolved: unresolvedPaths(layout, unmergedPaths(index)),
    mergeHead: readMergeHead(layout.gitDirectory),
  };
}

function* unmergedPaths({ view }: LoadedIndex): Generator<string> {
  for (let entry = 0; entry < view.entryCount; entry++) if (view.stage(entry) > 0) yield view.path(entry);
}
