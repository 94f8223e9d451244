import { chmodSync, existsSync, lstatSync, mkdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { isSameEntry, type SnapshotDifference } from '@cleveragents/checkpoint-domain';
import { putInPlace } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { entryOnDisk } from './disk-entry.ts';
import { PinnedPaths } from './pinned-paths.ts';
import { RestoreJournal, type RestoreJournalContent } from './restore-journal.ts';

/** Undoes what a restore that was cut short had done. Whoever calls it holds the lock, so no restore is under way. */
export async function settleRestore(root: string): Promise<void> {
  const journal = new RestoreJournal(root);
  if (!journal.isThere()) return;
  const content = journal.read();
  if (content !== null) {
    undo(root, journal, content);
    journal.close();
  }
  await journal.remove();
}

/**
 * Each move asks the disk what had been done, so that undoing can itself be cut short and begin anew. What a stranger put in the
 * way meanwhile stays; what it displaces is in the safety snapshot.
 */
function undo(root: string, journal: RestoreJournal, { steps, loosened }: RestoreJournalContent): void {
  const paths = new PinnedPaths(root);
  try {
    for (const [path, mode] of loosened) setMode(paths, path, mode | 0o700);
    for (const [at, step] of [...steps.entries()].reverse()) unput(paths, journal, step, at);
    for (const [at, step] of steps.entries()) bringBack(paths, journal, step, at);
    const modes = steps.flatMap(({ path, present }) =>
      present?.kind === 'directory' ? [[path, present.mode] as const] : [],
    );
    for (const [path, mode] of [...loosened, ...modes].sort(deepestFirst)) setMode(paths, path, mode);
  } finally {
    paths.close();
  }
}

function unput(
  paths: PinnedPaths,
  journal: RestoreJournal,
  { path, present, wanted }: SnapshotDifference,
  at: number,
): void {
  if (wanted === null) return;
  if (wanted.kind !== 'directory') {
    if (isOurs(paths, journal, path, at, wanted)) unlinkSync(paths.addressOf(path));
    return;
  }
  if (present?.kind === 'directory') return;
  ignoring(['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'ELOOP'], () => rmdirSync(paths.addressOf(path)));
  paths.forget(path);
}

/** The very file that was staged; or, where it had to be moved rather than linked, one that is equal to it. */
function isOurs(
  paths: PinnedPaths,
  journal: RestoreJournal,
  path: string,
  at: number,
  wanted: NonNullable<SnapshotDifference['wanted']>,
): boolean {
  const entry = entryOnDisk(paths, path);
  if (entry === null || entry === 'other' || !isSameEntry(entry, wanted)) return false;
  const staged = lstatSync(journal.newPath(at), { throwIfNoEntry: false });
  return staged === undefined || staged.ino === lstatSync(paths.addressOf(path)).ino;
}

function bringBack(
  paths: PinnedPaths,
  journal: RestoreJournal,
  { path, present, wanted }: SnapshotDifference,
  at: number,
): void {
  if (present?.kind === 'directory' && wanted?.kind !== 'directory') {
    ignoring(['EEXIST'], () => mkdirSync(paths.addressOf(path), { mode: 0o700 }));
    paths.forget(path);
  } else if (existsOrIsLink(journal.oldPath(at)))
    ignoring(['EEXIST'], () => putInPlace(journal.oldPath(at), paths.addressOf(path)));
}

function setMode(paths: PinnedPaths, path: string, mode: number): void {
  ignoring(['ENOENT', 'ENOTDIR', 'ELOOP'], () => chmodSync(paths.directory(path).self, mode));
}

function existsOrIsLink(path: string): boolean {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function deepestFirst([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? 1 : -1;
}

function ignoring(codes: readonly string[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!hasCode(error, ...codes)) throw error;
  }
}
