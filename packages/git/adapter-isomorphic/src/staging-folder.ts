import { lstatSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { removeTree } from '@cleveragents/shared-adapter-fs';
import { removeIfEmpty } from './admin-folder.ts';
import type { WorktreeLayout } from './worktree-scan.ts';

const COMMON_FOLDER = 'cleveragents-staging';
const PREFIX = '.cleveragents-staging-';

/**
 * Where files lie while they are exchanged: on the file system of the work tree, or nothing could be renamed. That is
 * the git folder, or else a hidden folder in the work tree's root.
 */
export function stagingFolderFor({ workTree, gitDirectory }: WorktreeLayout, operation: string): string {
  const isNear = lstatSync(gitDirectory).dev === lstatSync(workTree).dev;
  return isNear ? join(gitDirectory, COMMON_FOLDER, operation) : join(workTree, PREFIX + operation);
}

/** A name in the root of a work tree that is nobody's file. */
export function isStagingFolder(name: string): boolean {
  return name.startsWith(PREFIX);
}

export function makeStagingFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** @throws the system's error when something of it stays. */
export async function removeStagingFolder(folder: string): Promise<void> {
  const { kept } = await removeTree(folder, { within: dirname(folder) });
  const [first] = kept;
  if (first !== undefined)
    throw Object.assign(new Error(`cannot remove ${first.path}: ${first.code}`), { code: first.code });
  if (basename(dirname(folder)) === COMMON_FOLDER) removeIfEmpty(dirname(folder));
}
