import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Leaf, ObjectId } from '@cleveragents/git-domain';
import type { MergeConflictFact } from '@cleveragents/git-ports';
import { checkOutBeside } from './checked-out-files.ts';
import { type IndexSetting, listDiffering, refresh, setEntries } from './index-info.ts';
import type { WorktreeRepository } from './native-repository.ts';
import { type PrivateIndex, withPrivateIndex } from './private-index.ts';
import {
  type FilesToWrite,
  isDirectory,
  isStagingFolder,
  lstatIfThere,
  makeStagingFolder,
  type Pace,
  removeStagingFolder,
  stagingFolderFor,
  WorktreeFiles,
} from './shared-parts.ts';

/**
 * Makes the worktree's files those of the tree; ignored ones stay, and what is no file of git's is moved out of the way.
 * Gives the bytes of the index that goes with them.
 */
export async function writeFilesOf(
  repository: WorktreeRepository,
  { tree, conflicts, pace, entry }: FilesToWrite,
): Promise<Uint8Array> {
  const folder = stagingFolderFor(repository.layout, entry.id);
  makeStagingFolder(folder);
  try {
    return await writeThrough(repository, { tree, folder, pace }, conflicts);
  } finally {
    await removeStagingFolder(folder);
  }
}

interface StagedFilesToWrite {
  readonly tree: ObjectId;
  /** For files on their way; private, on the file system of the worktree. */
  readonly folder: string;
  readonly pace: Pace;
}

async function writeThrough(
  repository: WorktreeRepository,
  { tree, folder, pace }: StagedFilesToWrite,
  conflicts: readonly MergeConflictFact[],
): Promise<Uint8Array> {
  const { git, layout } = repository;
  const { deadline } = pace;
  return await withPrivateIndex(git, layout, { from: 'index', deadline }, async (index) => {
    const files = new WorktreeFiles(layout.workTree);
    const wanted = await readLeaves(repository, tree, pace);
    await removeOthers(index, files, { wanted, workTree: layout.workTree });
    await index.run(['read-tree', '--reset', '--no-recurse-submodules', tree]);
    await refresh(index);
    const differing = (await listDiffering(index)).filter((path) => wanted.has(path));
    await putFiles(repository, files, { differing, wanted, tree, folder, pace });
    await refresh(index);
    await setEntries(index, stagesOf(conflicts));
    return index.bytes();
  });
}

async function readLeaves(
  { git, layout }: WorktreeRepository,
  tree: ObjectId,
  { deadline }: Pace,
): Promise<ReadonlyMap<string, Leaf>> {
  return await withPrivateIndex(git, layout, { from: 'nothing', deadline }, async (index) => {
    await index.run(['read-tree', '--no-recurse-submodules', tree]);
    const records = await index.records(['ls-files', '-z', '--stage']);
    return new Map(
      records.map((record) => {
        const [mode, id] = record.split(' ', 2);
        return [record.slice(record.indexOf('\t') + 1), { mode, id } as Leaf];
      }),
    );
  });
}

async function removeOthers(
  index: PrivateIndex,
  files: WorktreeFiles,
  { wanted, workTree }: { wanted: ReadonlyMap<string, Leaf>; workTree: string },
): Promise<void> {
  const tracked = await index.records(['ls-files', '-z', '--stage']);
  for (const record of tracked) {
    const path = record.slice(record.indexOf('\t') + 1);
    if (!record.startsWith('160000 ') && !wanted.has(path)) files.remove(path);
  }
  const others = ['ls-files', '-z', '--others', '--exclude-standard'];
  const untracked = await index.records(others);
  for (const path of untracked)
    if (!path.endsWith('/') && !wanted.has(path) && !isStagingFolder(path.split('/')[0] ?? ''))
      files.remove(path);
  for (const path of await index.records([...others, '--directory']))
    if (path.endsWith('/')) removeEmptyFolders(files, workTree, path.slice(0, -1));
}

/** Repositories of their own are not entered. */
function removeEmptyFolders(files: WorktreeFiles, workTree: string, path: string): void {
  const address = join(workTree, path);
  const stat = lstatIfThere(address);
  if (stat === null || !isDirectory(stat) || lstatIfThere(join(address, '.git')) !== null) return;
  for (const name of readdirSync(address)) removeEmptyFolders(files, workTree, `${path}/${name}`);
  files.removeIfEmpty(path);
}

async function putFiles(
  repository: WorktreeRepository,
  files: WorktreeFiles,
  {
    differing,
    wanted,
    tree,
    folder,
    pace,
  }: StagedFilesToWrite & {
    readonly differing: readonly string[];
    readonly wanted: ReadonlyMap<string, Leaf>;
  },
): Promise<void> {
  const modes = new Map(differing.map((path) => [path, (wanted.get(path) as Leaf).mode]));
  const { layout } = repository;
  const ready = await checkOutBeside(repository, {
    layout,
    tree,
    paths: modes,
    folder: join(folder, 'checkout'),
    deadline: pace.deadline,
  });
  pace.begin('restore', differing.length);
  for (const path of differing) {
    if (pace.step()) await pace.breathe();
    files.put(path, ready.modeOf(path), ready.read(path));
  }
  for (const [path, { mode }] of wanted)
    if (mode === '160000' && lstatIfThere(join(layout.workTree, path)) === null)
      files.put(path, mode, Buffer.alloc(0));
}

/** A path of which no side is left has no entry. */
function stagesOf(conflicts: readonly MergeConflictFact[]): readonly IndexSetting[] {
  return conflicts.flatMap(({ path, base, ours, theirs }) => [
    { path, leaf: null },
    ...[base, ours, theirs].flatMap((leaf, at): readonly IndexSetting[] =>
      leaf === null ? [] : [{ path, leaf, stage: (at + 1) as 1 | 2 | 3 }],
    ),
  ]);
}
