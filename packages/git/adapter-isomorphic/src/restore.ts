import { join } from 'node:path';
import { type IndexStat, type Leaf, type ObjectId, patchIndex, UNKNOWN_STAT } from '@cleveragents/git-domain';
import { GitError, type OperationOptions } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import { pointsTo } from './admin-folder.ts';
import type { WorktreeRepository } from './capture.ts';
import { fileSystemError } from './file-access.ts';
import { type LoadedIndex, loadIndex, sha1 } from './index-file.ts';
import { indexOfTree, type TreeIndex } from './index-of-tree.ts';
import { acquireLockFile, type LockFile } from './lock-file.ts';
import { endOperations } from './merge-state.ts';
import { hashBlob } from './stored-object.ts';
import { OperationJournal } from './operation-journal.ts';
import { Pace } from './pace.ts';
import type { Repository } from './repository.ts';
import { GitConfig } from './git-config.ts';
import { lstatIfThere } from './steady-file.ts';
import { scanWorktree, type WorktreeLayout, type WorktreeScan } from './worktree-scan.ts';
import { WorktreeFiles } from './worktree-files.ts';

interface RestorePayload {
  readonly path: string;
  readonly layout: WorktreeLayout;
  readonly commit: ObjectId;
  readonly branch: string;
}

/** See `LinkedWorktree.restore`. Once begun it can only go forward: `recover` finishes it. */
export async function restoreWorktree(
  repository: WorktreeRepository,
  { commit, branch }: { readonly commit: ObjectId; readonly branch: string },
  options: OperationOptions = {},
): Promise<void> {
  const { layout, timeoutMs, objects } = repository;
  const pace = new Pace('restore', { timeoutMs, ...options });
  objects.readCommitSync(commit);
  const lock = await lockIndex(layout, pace);
  const journal = new OperationJournal(layout);
  const payload: RestorePayload = { path: layout.workTree, layout, commit, branch };
  const entry = await journal.begin('restore-worktree', payload).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  try {
    await carryOut(repository, payload, { lock, pace });
    await entry.complete();
  } catch (error) {
    throw fileSystemError(`cannot restore the worktree ${layout.workTree}`, error);
  } finally {
    journal.leave(entry);
    await lock.release();
  }
}

/** Does what is left to do of a restore. A worktree that is gone needs none. */
export async function finishRestore(repository: Repository, entry: JournalEntry): Promise<void> {
  const payload = entry.payload as RestorePayload;
  const { layout } = payload;
  if (lstatIfThere(layout.gitDirectory) === null || lstatIfThere(layout.workTree) === null) return;
  if (!pointsTo(layout.workTree, layout.gitDirectory))
    throw new GitError(
      'GIT_WORKTREE_BROKEN',
      `${layout.workTree} is no worktree of ${layout.gitDirectory} any more`,
      {
        data: { path: layout.workTree },
      },
    );
  const pace = new Pace('restore', { timeoutMs: repository.timeoutMs });
  const config = await GitConfig.load(layout, repository.environment);
  const lock = await lockIndex(layout, pace);
  try {
    await carryOut({ ...repository, layout, config }, payload, { lock, pace });
  } finally {
    await lock.release();
  }
}

function lockIndex({ gitDirectory }: WorktreeLayout, { deadline }: Pace): Promise<LockFile> {
  return acquireLockFile(join(gitDirectory, 'index'), {
    timeoutMs: deadline.remainingMs,
    signal: deadline.signal,
  });
}

async function carryOut(
  repository: WorktreeRepository,
  { commit, branch }: RestorePayload,
  { lock, pace }: { lock: LockFile; pace: Pace },
): Promise<void> {
  const { layout, objects, refs, timeoutMs } = repository;
  const bytes = await writeFilesOf(repository, objects.readCommitSync(commit).tree, pace);
  await lock.write(bytes);
  await lock.commit();
  endOperations(layout.gitDirectory);
  const message = `reset: moving to ${commit}`;
  const actual = await refs.read(branch);
  if (actual !== commit)
    await refs.update({ name: branch, expected: actual, target: commit, message }, { timeoutMs });
  const head = await refs.readHead(layout.gitDirectory);
  if (head.branch !== branch) await refs.setHead(layout.gitDirectory, { branch }, message, { timeoutMs });
}

/** Makes the files those of the tree; ignored ones stay. Gives the bytes of the index that goes with them. */
export async function writeFilesOf(
  { layout, config, objects }: WorktreeRepository,
  tree: ObjectId,
  pace: Pace,
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
  return patchIndex(view, { keepExtensions: ['TREE'] }, sha1);
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
