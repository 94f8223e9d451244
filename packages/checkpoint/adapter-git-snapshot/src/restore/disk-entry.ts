import { lstatSync } from 'node:fs';
import type { SnapshotEntry } from '@cleveragents/checkpoint-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { objectIdOf } from '../objects/git-object.ts';
import { blobIdOf, readSteadily, readTarget } from '../scan/content-reader.ts';
import type { PinnedPaths } from './pinned-paths.ts';

/** What lies at a path now. `'other'`: nothing that a snapshot could hold, or nothing that stands still. */
export function entryOnDisk(paths: PinnedPaths, path: string): SnapshotEntry | 'other' | null {
  try {
    return entryAt(paths.addressOf(path));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

export function entryAt(address: string): SnapshotEntry | 'other' | null {
  const status = lstatSync(address, { throwIfNoEntry: false });
  if (status === undefined) return null;
  const mode = status.mode & 0o7777;
  if (status.isDirectory()) return { kind: 'directory', mode };
  if (status.isSymbolicLink()) {
    const target = readTarget(address);
    return target === null ? 'other' : { kind: 'link', contentId: objectIdOf('blob', target) };
  }
  if (!status.isFile()) return 'other';
  const content = readSteadily(address);
  if (typeof content === 'string') return content === 'gone' ? null : 'other';
  return { kind: 'file', mode: content.status.mode & 0o7777, contentId: blobIdOf(content) };
}
