import { statIfThere } from './pinned-folder.ts';
import { chmodSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SandboxCreationError } from '@cleveragents/sandbox-domain';
import type { BaseStore } from './base-store.ts';
import { readChangeFolder } from './change-folder.ts';
import { type Change, type Entry, sameEntry } from './entry.ts';
import type { ManifestEntry, OpenConflict } from './manifest.ts';
import type { Pace } from './pace.ts';
import { mergePath, type PathMerge } from './path-merge.ts';
import { beside } from './refresh-plan.ts';

export interface RescuedStart {
  readonly sandboxPath: string;
  readonly entries: ReadonlyMap<string, ManifestEntry>;
  readonly base: BaseStore;
  /** Folder of the rescued work. */
  readonly rescue: string;
  readonly pace: Pace;
}

/**
 * Lays rescued work on a fresh copy: what the project changed since then is merged with it, as a refresh would.
 * @returns what is left to resolve.
 */
export async function layRescuedWork(start: RescuedStart): Promise<readonly OpenConflict[]> {
  const { sandboxPath, entries, base, rescue, pace } = start;
  const work = readChangeFolder(rescue);
  if (work === null)
    throw new SandboxCreationError('SANDBOX_SOURCE_MISSING', `No work is kept in ${rescue}`, {
      hint: 'See what is kept: `cleveragents plan list --rescued`.',
      data: { rescue },
    });
  const conflicts: OpenConflict[] = [];
  for (const change of removalsFirst(work.changes)) {
    const rest = pace.step();
    if (rest !== null) await rest;
    const theirs = entries.get(change.path)?.entry ?? null;
    const read = (side: 'base' | 'ours' | 'theirs'): Uint8Array =>
      side === 'theirs'
        ? theirs?.kind === 'file'
          ? base.read(theirs.sha256)
          : new Uint8Array()
        : work.read(change, side === 'base' ? 'before' : 'after');
    const merge = mergePath({ path: change.path, base: change.before, ours: change.after, theirs, read });
    if (!sameEntry(merge.result, theirs))
      put(join(sandboxPath, change.path), merge.result, (sha256) => {
        if (merge.bytes !== null) return merge.bytes;
        const isOurs = change.after?.kind === 'file' && change.after.sha256 === sha256;
        return isOurs ? work.read(change, 'after') : base.read(sha256);
      });
    const open = openConflict(sandboxPath, change.path, merge, theirs, () => read('theirs'));
    if (open !== null) conflicts.push(open);
  }
  return conflicts;
}

/** Files go before folders come, and the innermost first. */
function removalsFirst(changes: readonly Change[]): readonly Change[] {
  const gone = changes.filter(({ after }) => after === null).toReversed();
  return [...gone, ...changes.filter(({ after }) => after !== null)];
}

function put(path: string, result: Entry | null, read: (sha256: string) => Uint8Array): void {
  const present = statIfThere(path);
  if (result?.kind === 'directory') {
    if (present?.isDirectory() === false) unlinkSync(path);
    mkdirSync(path, { recursive: true });
    chmodSync(path, result.mode);
    return;
  }
  if (present !== null) rmSync(path, { recursive: true });
  if (result === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if (result.kind === 'link') symlinkSync(result.target, path);
  else writeFileWithMode(path, read(result.sha256), result.mode);
}

function openConflict(
  root: string,
  path: string,
  { conflict }: PathMerge,
  theirs: Entry | null,
  read: () => Uint8Array,
): OpenConflict | null {
  if (conflict === null) return null;
  if (conflict.hasMarkers) return { path, beside: null };
  if (theirs?.kind !== 'file' || conflict.kind === 'deleted-by-us') return null;
  const name = beside(path, (each) => statIfThere(join(root, each)) !== null);
  writeFileWithMode(join(root, name), read(), theirs.mode);
  return { path, beside: name };
}

function writeFileWithMode(path: string, bytes: Uint8Array, mode: number): void {
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  chmodSync(path, mode);
}
