import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type IndexStat, indexStatOf, type ObjectId, UNKNOWN_STAT } from '@cleveragents/git-domain';
import { indexAdvancedTo } from './advance-index.ts';
import type { WorktreeRepository } from './capture.ts';
import { Holds } from './held-lock.ts';
import { loadIndex, smudgeRacyEntries } from './index-file.ts';
import { acquireLockFile } from './lock-file.ts';
import { endOperations } from './merge-state.ts';
import { splitPath, withPinned } from './pinned-directory.ts';
import { StatCache } from './stat-cache.ts';
import { lstatIfThere } from './steady-file.ts';

export interface RecordRequest {
  readonly commit: ObjectId;
  readonly branch: { readonly name: string; readonly expected: ObjectId };
  readonly message: string;
}

/** See `LinkedWorktree.record`. */
export async function recordCommit(
  { layout, objects, refs, timeoutMs }: WorktreeRepository,
  { commit, branch, message }: RecordRequest,
): Promise<void> {
  const tree = objects.readCommitSync(commit).tree;
  const holds = new Holds();
  try {
    const lock = await acquireLockFile(join(layout.gitDirectory, 'index'), { timeoutMs });
    holds.add(() => lock.release());
    const update = { name: branch.name, expected: branch.expected, target: commit, message };
    const prepared = await refs.prepare(update, { timeoutMs });
    holds.add(() => prepared.abort());
    const known = StatCache.load(layout.gitDirectory);
    const index = loadIndex(layout.gitDirectory);
    smudgeRacyEntries(index);
    const statOf = (path: string, id: ObjectId): IndexStat => knownStat(layout.workTree, known, { path, id });
    await lock.write(await indexAdvancedTo(objects, index, { tree, statOf }));
    await prepared.commit();
    await lock.commit();
    endOperations(layout.gitDirectory);
    const head = await refs.readHead(layout.gitDirectory);
    if (head.branch !== branch.name)
      await refs.setHead(layout.gitDirectory, { branch: branch.name }, message, { timeoutMs });
  } finally {
    await holds.releaseAfterwards();
  }
}

/** The stat of a file that a capture has read, if it is the same still. */
function knownStat(
  workTree: string,
  known: StatCache,
  { path, id }: { path: string; id: ObjectId },
): IndexStat {
  const { directory, name } = splitPath(path);
  const stat = withPinned(workTree, directory, (pinned) => {
    const address = pinned.pathOf(name);
    const before = lstatIfThere(address);
    if (before === null || known.find(path, before) !== id) return null;
    const exact = lstatSync(address, { bigint: true, throwIfNoEntry: false });
    return exact && Number(exact.ino) === before.ino ? indexStatOf(exact) : null;
  });
  return stat ?? UNKNOWN_STAT;
}
