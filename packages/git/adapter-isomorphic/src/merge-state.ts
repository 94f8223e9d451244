import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObjectId, type ObjectId } from '@cleveragents/git-domain';
import { readTextIfThere } from './file-access.ts';
import { splitPath, withPinned } from './pinned-directory.ts';
import { readSteadily } from './steady-file.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

/** Which paths a merge of ours left in conflict; git forgets that once they are added. */
const CONFLICTS_FILE = 'cleveragents-merge.json';

/** All by which git knows that something is in progress in a work tree. */
const STATE_FILES = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'MERGE_RR',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'sequencer',
  'rebase-merge',
  'rebase-apply',
  CONFLICTS_FILE,
];

export interface MergeState {
  readonly theirs: ObjectId;
  readonly message: string;
  readonly conflicts: readonly string[];
}

/** As `git merge` leaves it. MERGE_HEAD comes last: with it the merge is in progress. */
export function writeMergeState(gitDirectory: string, { theirs, message, conflicts }: MergeState): void {
  const write = (name: string, text: string): void => writeFileSync(join(gitDirectory, name), text);
  write(CONFLICTS_FILE, `${JSON.stringify(conflicts)}\n`);
  write('MERGE_MSG', message.endsWith('\n') ? message : `${message}\n`);
  write('MERGE_MODE', '');
  write('MERGE_HEAD', `${theirs}\n`);
}

/** MERGE_HEAD goes first: without it no merge is in progress. Fine when there is none. */
export function endOperations(gitDirectory: string): void {
  const bisect = readdirSync(gitDirectory).filter((name) => name.startsWith('BISECT_'));
  for (const name of [...STATE_FILES, ...bisect])
    rmSync(join(gitDirectory, name), { recursive: true, force: true });
}

/**
 * Paths of the merge in progress that still hold git's conflict markers, sorted.
 *
 * @param unmerged the paths that have several stages in the index.
 */
export function unresolvedPaths(
  { workTree, gitDirectory }: WorktreeLayout,
  unmerged: Iterable<string>,
): readonly string[] {
  if (readTextIfThere(join(gitDirectory, 'MERGE_HEAD')) === null) return [];
  const paths = new Set([...readConflicts(gitDirectory), ...unmerged]);
  return [...paths].filter((path) => holdsMarkers(workTree, path)).sort();
}

/** The other parent of the merge in progress; null when there is none. */
export function readMergeHead(gitDirectory: string): ObjectId | null {
  const id = readTextIfThere(join(gitDirectory, 'MERGE_HEAD'))?.split('\n')[0] ?? '';
  return isObjectId(id) ? id : null;
}

function readConflicts(gitDirectory: string): readonly string[] {
  const text = readTextIfThere(join(gitDirectory, CONFLICTS_FILE));
  const value: unknown = text === null || text === '' ? [] : JSON.parse(text);
  return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : [];
}

function holdsMarkers(workTree: string, path: string): boolean {
  const { directory, name } = splitPath(path);
  const reading = withPinned(workTree, directory, (pinned) => readSteadily(pinned.pathOf(name)));
  if (reading?.kind !== 'file') return false;
  const text = reading.bytes.toString('latin1');
  return /^<{7} /m.test(text) && /^={7}\r?$/m.test(text) && /^>{7} /m.test(text);
}
