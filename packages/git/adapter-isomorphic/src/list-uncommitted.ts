import {
  comparePaths,
  type Leaf,
  type LeafMode,
  type ObjectId,
  readCacheTree,
} from '@cleveragents/git-domain';
import type { OperationOptions, UncommittedChange } from '@cleveragents/git-ports';
import type { WorktreeRepository } from './capture.ts';
import { isSameLeaf } from './disk-leaf.ts';
import { type LoadedIndex, loadIndex } from './index-file.ts';
import { collectEntries } from './index-of-tree.ts';
import type { ObjectDatabase } from './object-database.ts';
import { Pace } from './pace.ts';
import { hashBlob } from './stored-object.ts';
import { scanWorktree, type WorktreeScan } from './worktree-scan.ts';

/** See `WorktreeHost.listUncommitted`. A path that is staged and changed again since stands there twice. */
export async function listUncommitted(
  { layout, config, objects, refs, timeoutMs }: WorktreeRepository,
  options: OperationOptions = {},
): Promise<readonly UncommittedChange[]> {
  const pace = new Pace('scan', { timeoutMs, ...options });
  const index = loadIndex(layout.gitDirectory);
  const { commit } = await refs.readHead(layout.gitDirectory);
  const tree = commit === null ? null : objects.readCommitSync(commit).tree;
  pace.begin('scan', index.view.entryCount);
  const scan = await scanWorktree({
    layout,
    config,
    index,
    pace,
    keepContent: hashBlob,
    readsUntracked: false,
  });
  const changes = [...stagedChanges(objects, index, tree), ...unstagedChanges(index, scan)];
  return changes.sort((a, b) => comparePaths(a.path, b.path) || Number(b.staged) - Number(a.staged));
}

function stagedChanges(
  objects: ObjectDatabase,
  index: LoadedIndex,
  tree: ObjectId | null,
): readonly UncommittedChange[] {
  const known = readCacheTree(index.view);
  if (tree !== null && known?.id === tree && known.entryCount === index.view.entryCount) return [];
  const head = headLeaves(objects, tree);
  const changes: UncommittedChange[] = [];
  const { view } = index;
  for (let entry = 0; entry < view.entryCount; entry++) {
    const path = view.path(entry);
    const before = head.get(path) ?? null;
    head.delete(path);
    if (view.isIntentToAdd(entry) && before !== null) changes.push({ path, staged: true, kind: 'deleted' });
    if (view.stage(entry) > 0 || view.isIntentToAdd(entry)) continue;
    const after: Leaf = { mode: view.mode(entry), id: view.idHex(entry) };
    if (!isSameLeaf(before, after))
      changes.push({ path, staged: true, kind: before === null ? 'added' : 'modified' });
  }
  for (const path of head.keys()) changes.push({ path, staged: true, kind: 'deleted' });
  return changes;
}

function headLeaves(objects: ObjectDatabase, tree: ObjectId | null): Map<string, Leaf> {
  const entries: { path: string; mode: LeafMode; id: ObjectId }[] = [];
  if (tree !== null) collectEntries(objects, tree, '', entries);
  return new Map(entries.map(({ path, mode, id }) => [path, { mode, id }]));
}

function unstagedChanges({ view }: LoadedIndex, scan: WorktreeScan): readonly UncommittedChange[] {
  const tracked = scan.differing.map(({ path, entry, leaf }): UncommittedChange => {
    if (view.stage(entry) > 0) return { path, staged: false, kind: 'unmerged' };
    if (leaf === null) return { path, staged: false, kind: 'deleted' };
    return { path, staged: false, kind: view.isIntentToAdd(entry) ? 'added' : 'modified' };
  });
  const nested = scan.omitted.filter(({ reason }) => reason === 'nested-repository');
  const untracked = [...scan.untracked, ...nested].map(({ path }): UncommittedChange => ({
    path,
    staged: false,
    kind: 'untracked',
  }));
  return [...tracked, ...untracked];
}
