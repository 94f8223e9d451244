import { lstatSync } from 'node:fs';
import { type IndexStat, indexStatOf, type ObjectId, UNKNOWN_STAT } from '@cleveragents/git-domain';
import { indexAdvancedTo } from './advance-index.ts';
import type { WorktreeRepository } from './capture.ts';
import { loadIndex, smudgeRacyEntries } from './index-file.ts';
import { splitPath, withPinned } from './pinned-directory.ts';
import { StatCache } from './stat-cache.ts';
import { lstatIfThere } from './steady-file.ts';

/** The bytes of the worktree's index once it is that of `tree`, which is what was captured. */
export async function recordedIndex(
  { layout, objects }: WorktreeRepository,
  tree: ObjectId,
): Promise<Uint8Array> {
  const known = StatCache.load(layout.gitDirectory);
  const index = loadIndex(layout.gitDirectory);
  smudgeRacyEntries(index);
  const statOf = (path: string, id: ObjectId): IndexStat => knownStat(layout.workTree, known, { path, id });
  return await indexAdvancedTo(objects, index, { tree, statOf });
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
