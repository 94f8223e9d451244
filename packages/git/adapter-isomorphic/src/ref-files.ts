import { type Dirent, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObjectId, type ObjectId } from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { fileSystemError } from './file-access.ts';

/** What one ref's file says. */
export type RefValue =
  { readonly kind: 'id'; readonly id: ObjectId } | { readonly kind: 'symbolic'; readonly target: string };

/** Null when there is no such file. @throws GitError `GIT_CORRUPT`. */
export function readRefFile(path: string): RefValue | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null;
    throw fileSystemError(`cannot read ${path}`, error);
  }
  const target = /^ref:\s*(.*?)\s*$/.exec(text)?.[1];
  if (target) return { kind: 'symbolic', target };
  const id = text.trimEnd();
  if (isObjectId(id)) return { kind: 'id', id };
  throw new GitError('GIT_CORRUPT', `${path} holds no ref`, {
    hint: 'Run `git fsck`; an empty file is what a sudden power loss leaves: its last value is in the reflog.',
    data: { path },
  });
}

/** Names of the refs that have a file at or below `name`; locks and hidden files are none. Any order. */
export function refFilesBelow(directory: string, name: string): readonly string[] {
  return entriesOf(join(directory, name)).flatMap((entry) => {
    if (entry.name.startsWith('.') || entry.name.endsWith('.lock')) return [];
    const below = `${name}/${entry.name}`;
    return entry.isDirectory() ? refFilesBelow(directory, below) : [below];
  });
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw fileSystemError(`cannot read ${directory}`, error);
  }
}

/** Removes folders that hold nothing but folders; whether nothing is left at the path that is a folder. */
export function removeEmptyFolders(path: string): boolean {
  for (const entry of entriesOf(path)) if (entry.isDirectory()) removeEmptyFolders(join(path, entry.name));
  return removeIfEmpty(path);
}

/** Removes the folders above a ref's former file that are empty now, below `refs/heads` and its like. */
export function removeEmptyParents(root: string, name: string): void {
  for (let parent = dirname(name); parent.split('/').length > 2; parent = dirname(parent))
    if (!removeIfEmpty(join(root, parent))) return;
}

function removeIfEmpty(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) return hasCode(error, 'ENOTDIR');
    throw fileSystemError(`cannot remove ${path}`, error);
  }
}
