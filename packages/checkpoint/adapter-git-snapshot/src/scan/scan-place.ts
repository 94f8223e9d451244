import { lstatSync, readdirSync, type Stats } from 'node:fs';
import type { ObjectId } from '@cleveragents/git-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { readSteadily } from './content-reader.ts';
import { IgnoreFile } from './ignore-file.ts';
import type { LazyPin } from './pinned-path.ts';
import type { KnownDirectory, KnownFile, Listing } from './tree-model.ts';

/** In the root, where a restore keeps what it is about to exchange. Never part of a snapshot. */
export const RESTORE_FOLDER = '.cleveragents-restore';

/** A directory that the scan stands in. */
export interface Place {
  readonly node: KnownDirectory;
  readonly pinned: LazyPin;
  /** By name, and so cheaper to look through: enough to see that nothing changed, never to read. Ends in a slash. */
  readonly plain: string;
  /** Strongest first. */
  readonly ignoreFiles: readonly IgnoreFile[];
  readonly rule: 'ignored' | 'asked for' | 'by ignore files';
}

export type Kind = 'file' | 'link' | 'directory' | 'other';

/** In the root: what belongs to git, and what a restore keeps there. */
export function isOurs(name: string): boolean {
  return name === '.git' || name === RESTORE_FOLDER;
}

export function withOwnIgnoreFile(place: Place, names?: readonly string[]): Place {
  if (names !== undefined && !names.includes('.gitignore')) return place;
  if (lstatSync(`${place.plain}.gitignore`, { throwIfNoEntry: false })?.isFile() !== true) return place;
  const text = readSteadily(`${place.pinned.address}.gitignore`);
  if (typeof text === 'string' || text.kind !== 'whole') return place;
  const base = place.node.path === '' ? '' : `${place.node.path}/`;
  return { ...place, ignoreFiles: [new IgnoreFile(base, text.bytes.toString('utf8')), ...place.ignoreFiles] };
}

export function saidFirst(
  files: readonly IgnoreFile[],
  path: string,
  name: string,
  isDirectory: boolean,
): 'ignored' | 'not ignored' | undefined {
  for (const file of files) {
    const said = file.says(path, name, isDirectory);
    if (said !== undefined) return said;
  }
  return undefined;
}

export function isUnchanged(known: KnownFile, status: Stats): boolean {
  return !known.isRacy && isAsSeen(known, status);
}

/** Nothing shows that it changed; of one that is racy that proves nothing. */
export function isAsSeen(known: KnownFile, status: Stats): boolean {
  return (
    known.mtimeMs === status.mtimeMs &&
    known.ctimeMs === status.ctimeMs &&
    known.size === status.size &&
    known.inode === status.ino &&
    (known.kind === 'link') === status.isSymbolicLink()
  );
}

/** Nothing came, went or was renamed in the directory since: that would have changed its times. */
export function isListingOf({ mtimeMs, ctimeMs, inode }: Listing, status: Stats): boolean {
  return mtimeMs === status.mtimeMs && ctimeMs === status.ctimeMs && inode === status.ino;
}

export function listingOf(names: readonly string[], { mtimeMs, ctimeMs, ino: inode }: Stats): Listing {
  return { names, mtimeMs, ctimeMs, inode };
}

/** Of a file or a link. */
export function knownOf(status: Stats, blob: ObjectId, isSettled: boolean): KnownFile {
  const isLink = status.isSymbolicLink();
  return {
    kind: isLink ? 'link' : 'file',
    mode: isLink ? 0 : modeOf(status),
    size: status.size,
    mtimeMs: status.mtimeMs,
    ctimeMs: status.ctimeMs,
    inode: status.ino,
    blob,
    isRacy: !isSettled,
  };
}

/** Why nothing can be opened there: it is no directory any more, or nobody may enter it. */
export function whyClosed(error: unknown): 'gone' | 'unreadable' {
  if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return 'gone';
  if (hasCode(error, 'EACCES', 'EPERM', 'EIO')) return 'unreadable';
  throw error;
}

export function namesIn(directory: string): readonly string[] | 'gone' | 'unreadable' {
  try {
    return readdirSync(directory);
  } catch (error) {
    return whyClosed(error);
  }
}

export function kindOf(status: Stats): Kind {
  if (status.isFile()) return 'file';
  if (status.isDirectory()) return 'directory';
  return status.isSymbolicLink() ? 'link' : 'other';
}

export function modeOf(status: Stats): number {
  return status.mode & 0o7777;
}

export function escaped(name: Buffer): string {
  return name.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}
