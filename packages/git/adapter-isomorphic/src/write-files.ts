import {
  type IndexEntry,
  type IndexStage,
  type IndexStat,
  type Leaf,
  patchIndex,
  readIndex,
  UNKNOWN_STAT,
} from '@cleveragents/git-domain';
import type { MergeConflictFact } from '@cleveragents/git-ports';
import type { WorktreeRepository } from './capture.ts';
import { type LoadedIndex, loadIndex, sha1 } from './index-file.ts';
import { indexOfTree, type TreeIndex } from './index-of-tree.ts';
import type { Pace } from './pace.ts';
import { hashBlob } from './stored-object.ts';
import type { FilesToWrite } from './worktree-content.ts';
import { WorktreeFiles } from './worktree-files.ts';
import { scanWorktree, type WorktreeScan } from './worktree-scan.ts';

/** Makes the files those of the tree; ignored ones stay. Gives the bytes of the index that goes with them. */
export async function writeFilesOf(
  { layout, config, objects }: WorktreeRepository,
  { tree, conflicts, pace }: FilesToWrite,
): Promise<Uint8Array> {
  const index = loadIndex(layout.gitDirectory);
  const scan = await scanWorktree({
    layout,
    config,
    index,
    pace,
    keepContent: hashBlob,
    readsUntracked: false,
  });
  const target = await indexOfTree(objects, tree, index);
  const files = new WorktreeFiles(layout.workTree);
  pace.begin('restore', target.index.view.entryCount);
  await removeOthers(files, { index, scan, target, pace });
  const present = contentOf(scan);
  const { view } = target.index;
  for (let entry = 0; entry < view.entryCount; entry++) {
    if (pace.step()) await pace.breathe();
    const source = target.sourceOf(entry);
    const leaf: Leaf = { mode: view.mode(entry), id: view.idHex(entry) };
    const put = (): IndexStat =>
      files.put(
        view.path(entry),
        leaf.mode,
        leaf.mode === '160000' ? Buffer.alloc(0) : objects.readBlobSync(leaf.id),
      );
    view.setStat(entry, statFor({ path: view.path(entry), leaf, source, index, present, put }));
  }
  return withStages(patchIndex(view, { keepExtensions: ['TREE'] }, sha1), conflicts);
}

/** What lies at each path that is not as the index says; `undefined`: we cannot know. */
function contentOf({ differing, omitted }: WorktreeScan): ReadonlyMap<string, Leaf | null | undefined> {
  return new Map([
    ...differing.map(({ path, leaf }) => [path, leaf] as const),
    ...omitted.map(({ path }) => [path, undefined] as const),
  ]);
}

function statFor(file: {
  readonly path: string;
  readonly leaf: Leaf;
  /** Entry of the present index with the same content, or -1. */
  readonly source: number;
  readonly index: LoadedIndex;
  readonly present: ReadonlyMap<string, Leaf | null | undefined>;
  readonly put: () => IndexStat;
}): IndexStat {
  const { path, leaf, source, index, present, put } = file;
  if (!present.has(path)) return source < 0 ? put() : index.view.stat(source);
  const now = present.get(path);
  return now?.id === leaf.id && now.mode === leaf.mode ? UNKNOWN_STAT : put();
}

async function removeOthers(
  files: WorktreeFiles,
  { index, scan, target, pace }: { index: LoadedIndex; scan: WorktreeScan; target: TreeIndex; pace: Pace },
): Promise<void> {
  const isWanted = (path: string): boolean => target.index.view.find(path) >= 0;
  for (let entry = 0; entry < index.view.entryCount; entry++) {
    if (pace.step()) await pace.breathe();
    const path = index.view.path(entry);
    if (index.view.mode(entry) !== '160000' && !isWanted(path)) files.remove(path);
  }
  for (const { path } of scan.untracked) if (!isWanted(path)) files.remove(path);
  for (const path of scan.untrackedDirectories) files.removeIfEmpty(path);
}

function withStages(bytes: Uint8Array, conflicts: readonly MergeConflictFact[]): Uint8Array {
  if (conflicts.length === 0) return bytes;
  const set = conflicts.flatMap(({ path, base, ours, theirs }): IndexEntry[] =>
    [base, ours, theirs].flatMap((leaf, at) =>
      leaf === null ? [] : [{ path, ...leaf, stage: (at + 1) as IndexStage }],
    ),
  );
  // a path of which no side is left has no entry
  const remove = conflicts
    .filter(({ base, ours, theirs }) => !base && !ours && !theirs)
    .map(({ path }) => path);
  return patchIndex(readIndex(bytes), { set, remove }, sha1);
}
