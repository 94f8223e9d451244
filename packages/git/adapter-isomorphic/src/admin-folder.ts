import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WorktreeOwner } from '@cleveragents/git-ports';
import { removeTree } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { readTextIfThere, statIfThere } from './file-access.ts';
import { lstatIfThere } from './steady-file.ts';
import { OWNER_FILE } from './worktree-admin.ts';

/** Tells a folder from another one that took its name. */
export interface FolderIdentity {
  readonly ino: number;
  readonly birthtimeMs: number;
}

/** What a new linked worktree's admin folder says. */
export interface AdminFolder {
  /** `<common>/worktrees/<name>` */
  readonly directory: string;
  /** Root of the worktree. */
  readonly path: string;
  readonly owner: WorktreeOwner;
  /** Names the operation that made it, to tell it from another one of the same name. */
  readonly operation: string;
  readonly folder: FolderIdentity;
}

/** Names that git could give to the worktree's admin folder, the first one first. */
export function* adminDirectories(commonDirectory: string, path: string): Generator<string> {
  const name =
    basename(path)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[.-]+|(\.lock)+$|[.-]+$/g, '') || 'sandbox';
  const folder = join(commonDirectory, 'worktrees');
  yield join(folder, name);
  for (let suffix = 1; ; suffix++) yield join(folder, `${name}${suffix}`);
}

/** False when the name is taken. Git's `worktree prune` leaves the folder alone from the first file on. */
export function makeAdminFolder(folder: AdminFolder): boolean {
  try {
    mkdirSync(dirname(folder.directory), { recursive: true });
    mkdirSync(folder.directory);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  writeFileSync(join(folder.directory, 'locked'), 'initializing\n');
  const owner = { ...folder.owner, operation: folder.operation, folder: folder.folder };
  writeFileSync(join(folder.directory, OWNER_FILE), `${JSON.stringify(owner)}\n`);
  writeFileSync(join(folder.directory, 'gitdir'), `${join(folder.path, '.git')}\n`);
  writeFileSync(join(folder.directory, 'commondir'), '../..\n');
  writeFileSync(join(folder.directory, 'HEAD'), `ref: ${folder.owner.branch}\n`);
  return true;
}

export function endInitialising(directory: string): void {
  rmSync(join(directory, 'locked'), { force: true });
}

/** Whether the operation made the folder, as far as it came. */
export function isMadeBy(directory: string, operation: string): boolean {
  const names = namesIfThere(directory);
  if (names === null) return false;
  const owner = readTextIfThere(join(directory, OWNER_FILE));
  if (owner === null || owner === '') return names.every((name) => name === 'locked' || name === OWNER_FILE);
  return owner.includes(JSON.stringify(operation));
}

/** The worktree's folder and the admin folder point to each other. */
export function pointsTo(path: string, directory: string): boolean {
  return readPointer(path)?.replace(/[\r\n]+$/, '') === `gitdir: ${directory}`;
}

/** Null also where an agent made a repository of its own. */
function readPointer(path: string): string | null {
  const pointer = join(path, '.git');
  return statIfThere(pointer)?.isFile() === true ? readTextIfThere(pointer) : null;
}

/** The folder is the one that was made with the admin folder, though it points there no more. */
export function isMadeAs(path: string, directory: string): boolean {
  const stat = lstatIfThere(path);
  const recorded = readFolderIdentity(directory);
  return stat?.ino === recorded?.ino && stat?.birthtimeMs === recorded?.birthtimeMs && recorded !== null;
}

function readFolderIdentity(directory: string): FolderIdentity | null {
  const text = readTextIfThere(join(directory, OWNER_FILE)) ?? '';
  const found = /"folder":\{"ino":(\d+),"birthtimeMs":([\d.]+)\}/.exec(text);
  return found ? { ino: Number(found[1]), birthtimeMs: Number(found[2]) } : null;
}

/** An admin folder of ours whose pointer got lost. */
export function isOwnedWithoutPointer(directory: string): boolean {
  return (
    lstatIfThere(join(directory, 'gitdir')) === null && lstatIfThere(join(directory, OWNER_FILE)) !== null
  );
}

export function adminPointsTo(directory: string, path: string): boolean {
  return readTextIfThere(join(directory, 'gitdir'))?.replace(/[\r\n]+$/, '') === join(path, '.git');
}

/** A new folder of ours, as far as its making came: empty, or with the pointer, be it whole or cut off. */
export function isOwnWorktreeFolder(path: string, directories: readonly string[]): boolean {
  const names = namesIfThere(path);
  if (names === null) return false;
  const pointer = readPointer(path);
  if (pointer === null) return names.length === 0;
  return directories.some((directory) => {
    const whole = `gitdir: ${directory}\n`;
    return pointer === whole || (names.length === 1 && whole.startsWith(pointer));
  });
}

export async function removeAdminFolder(directory: string): Promise<void> {
  await removeTree(directory, { within: dirname(directory) });
  removeIfEmpty(dirname(directory));
}

export function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'EACCES', 'EPERM', 'EBUSY')) throw error;
  }
}

export function isEmptyFolder(path: string): boolean {
  return namesIfThere(path)?.length === 0;
}

function namesIfThere(directory: string): readonly string[] | null {
  const stat = lstatIfThere(directory);
  return stat?.isDirectory() ? readdirSync(directory) : null;
}
