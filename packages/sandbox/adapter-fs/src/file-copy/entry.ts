import type { Stats } from 'node:fs';

/** What lies at a path. Two that are equal hold the same bytes with the same permissions. */
export type Entry =
  | { readonly kind: 'file'; readonly mode: number; readonly size: number; readonly sha256: string }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory'; readonly mode: number };

/** By what a file is known not to have been written since: the system changes the last figure at every change. */
export interface Stamp {
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
}

/** What a path was and what it is to be; null: nothing. */
export interface Change {
  readonly path: string;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

export const PERMISSIONS = 0o7777;

export function stampOf(stats: Stats): Stamp {
  return { inode: stats.ino, size: stats.size, modifiedMs: stats.mtimeMs, changedMs: stats.ctimeMs };
}

export function sameStamp(one: Stamp | null, other: Stamp | null): boolean {
  if (one === null || other === null) return false;
  return (
    one.inode === other.inode &&
    one.size === other.size &&
    one.modifiedMs === other.modifiedMs &&
    one.changedMs === other.changedMs
  );
}

export function sameEntry(one: Entry | null, other: Entry | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.kind === 'link') return other.kind === 'link' && one.target === other.target;
  if (other.kind === 'link' || one.mode !== other.mode) return false;
  if (one.kind === 'directory') return other.kind === 'directory';
  return other.kind === 'file' && one.sha256 === other.sha256;
}

/** A file or a link; null for a directory and for nothing. */
export function leafOf(entry: Entry | null): Exclude<Entry, { kind: 'directory' }> | null {
  return entry === null || entry.kind === 'directory' ? null : entry;
}

export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

/** A change within so many milliseconds of another may leave the same stamp behind: clocks of file systems are coarse. */
const SLACK_MS = 20;
const COARSE_SLACK_MS = 2000;

/** The stamp, unless what it belongs to could change right now without the stamp's changing. */
export function settledStamp(stamp: Stamp, nowMs: number): Stamp | null {
  const slack = stamp.changedMs % 1000 === 0 ? COARSE_SLACK_MS : SLACK_MS;
  return nowMs - stamp.changedMs > slack ? stamp : null;
}
