import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { readSteadily } from './content-reader.ts';
import { IgnoreFile } from './ignore-file.ts';
import type { PinnedDirectory } from './pinned-path.ts';
import type { KnownDirectory, KnownFile } from './tree-model.ts';

/** In the root, where a restore keeps what it is about to exchange. Never part of a snapshot. */
export const RESTORE_FOLDER = '.cleveragents-restore';

/** A directory that the scan stands in. */
export interface Place {
  readonly node: KnownDirectory;
  readonly pinned: PinnedDirectory;
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

export function withOwnIgnoreFile(place: Place, entries?: readonly Dirent[]): Place {
  if (entries !== undefined && !entries.some(({ name }) => name === '.gitignore')) return place;
  const address = `${place.pinned.address}.gitignore`;
  if (lstatSync(address, { throwIfNoEntry: false })?.isFile() !== true) return place;
  const text = readSteadily(address);
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
  return (
    !known.isRacy &&
    known.mtimeMs === status.mtimeMs &&
    known.ctimeMs === status.ctimeMs &&
    known.size === status.size &&
    known.inode === status.ino &&
    (known.kind === 'link') === status.isSymbolicLink()
  );
}

export function open(parent: PinnedDirectory, name: string): PinnedDirectory | 'gone' | 'unreadable' {
  try {
    return parent.enter(name);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return 'gone';
    if (hasCode(error, 'EACCES', 'EPERM', 'EIO')) return 'unreadable';
    throw error;
  }
}

export function entriesOf(pinned: PinnedDirectory): readonly Dirent[] {
  return readdirSync(pinned.address, { withFileTypes: true });
}

export function entriesOrNull(pinned: PinnedDirectory): readonly Dirent[] | null {
  try {
    return entriesOf(pinned);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EIO')) return null;
    throw error;
  }
}

export function kindOf(entry: Pick<Dirent, 'isFile' | 'isSymbolicLink' | 'isDirectory'>): Kind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

export function modeOf(status: Stats): number {
  return status.mode & 0o7777;
}

export function escaped(name: Buffer): string {
  return name.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}
