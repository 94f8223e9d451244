import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';
import { type Entry, sameEntry } from './entry.ts';
import type { Put, Step } from './exchange-plan.ts';
import { entryAt, FileMoving } from './file-bytes.ts';
import { nameOf, PinnedFolder, readably, statIfThere } from './pinned-folder.ts';

/** Somebody else wrote at a path in the very moment of the exchange. Theirs is in place. */
export class PathTaken extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} was written by somebody else`);
    this.path = path;
  }
}

export function oldFile(staging: string, { number }: Put): string {
  return join(staging, `old-${number}`);
}

export function newFile(staging: string, { number }: Put): string {
  return join(staging, `new-${number}`);
}

/** @throws PathTaken. @throws the system's error. */
export function take(root: string, staging: string, step: Step): void {
  withParent(root, step.path, (parent, name) => {
    switch (step.kind) {
      case 'put':
        setAside(parent, name, staging, step);
        if (step.new !== null) putInPlace(parent, name, staging, step, step.new);
        break;
      case 'make-folder':
        makeFolder(parent.address(name), step.mode);
        break;
      case 'remove-folder':
        removeFolder(parent.address(name));
        break;
      case 'set-mode':
        setMode(parent, name, step.from, step.to);
    }
  });
}

/**
 * Takes a step back, whether or not, and however far, it was taken. What somebody else put there meanwhile stays.
 */
export function takeBack(root: string, staging: string, step: Step): void {
  try {
    takeBackIn(root, staging, step);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error;
    // the step was never taken, or somebody removed the folder meanwhile: what was set aside comes back all the same
    if (step.kind !== 'put' || !existsLink(oldFile(staging, step))) return;
    if (!hasCode(error, 'ENOENT')) {
      // somebody made something else of the folder: it was theirs to do, and the bytes that we know are kept elsewhere
      if (sameEntry(stagedEntry(staging, `old-${step.number}`), step.old)) return;
      throw error;
    }
    mkdirSync(dirname(join(root, step.path)), { recursive: true });
    takeBackIn(root, staging, step);
  }
}

function takeBackIn(root: string, staging: string, step: Step): void {
  withParent(root, step.path, (parent, name) => {
    switch (step.kind) {
      case 'put':
        takeOut(parent, name, staging, step);
        putBack(parent, name, staging, step);
        break;
      case 'make-folder':
        removeFolder(parent.address(name));
        break;
      case 'remove-folder':
        if (parent.stat(name) === null) makeFolder(parent.address(name), step.mode);
        break;
      case 'set-mode':
        setMode(parent, name, step.to, step.from);
    }
  });
}

function withParent(root: string, path: string, work: (parent: PinnedFolder, name: string) => void): void {
  const parent = PinnedFolder.openParent(root, path);
  try {
    readably(() => work(parent, nameOf(path)));
  } finally {
    parent.close();
  }
}

function setAside(parent: PinnedFolder, name: string, staging: string, step: Put): void {
  if (step.old === null) return;
  try {
    renameSync(parent.address(name), oldFile(staging, step));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw new PathTaken(step.path);
    throw error;
  }
  if (!sameEntry(stagedEntry(staging, `old-${step.number}`), step.old)) throw new PathTaken(step.path);
}

/** What lies in the staging folder; `null` also for what cannot be compared. */
export function stagedEntry(staging: string, name: string): Entry | null {
  const folder = PinnedFolder.open(staging);
  try {
    const entry = entryAt(folder, name);
    return entry === 'special' ? null : entry;
  } catch (error) {
    if (error instanceof FileMoving) return null;
    throw error;
  } finally {
    folder.close();
  }
}

function putInPlace(parent: PinnedFolder, name: string, staging: string, step: Put, entry: Entry): void {
  const target = parent.address(name);
  try {
    if (entry.kind === 'link') symlinkSync(entry.target, target);
    else linkOrCopy(newFile(staging, step), target);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw new PathTaken(step.path);
    throw error;
  }
}

/** Never replaces anything. Where the file system has no second names, the copy is of a file that is whole already. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS')) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Removes what is ours and nothing else. */
function takeOut(parent: PinnedFolder, name: string, staging: string, step: Put): void {
  if (step.new !== null && isOurs(parent, name, staging, step)) unlinkSync(parent.address(name));
}

function isOurs(parent: PinnedFolder, name: string, staging: string, step: Put): boolean {
  if (step.new?.kind === 'link') {
    // without the old one set aside this step was not begun, unless there was none
    const isBegun = step.old === null || existsLink(oldFile(staging, step));
    return isBegun && readLink(parent.address(name)) === step.new.target;
  }
  const [there, ours] = [parent.stat(name), statIfThere(newFile(staging, step))];
  if (there === null || ours === null) return false;
  const isSame = there.ino === ours.ino || (step.old === null ? false : existsLink(oldFile(staging, step)));
  return isSame && sameEntry(entryOrNull(parent, name), step.new);
}

function entryOrNull(parent: PinnedFolder, name: string): Entry | null {
  const entry = entryAt(parent, name);
  return entry === 'special' ? null : entry;
}

function putBack(parent: PinnedFolder, name: string, staging: string, step: Put): void {
  const old = oldFile(staging, step);
  const stats = statIfThere(old);
  if (stats === null) return;
  if (stats.isDirectory()) {
    if (parent.stat(name) === null) renameSync(old, parent.address(name));
    return;
  }
  // somebody who saved the file anew has the last word
  if (!placeAnew(old, parent.address(name))) saveBeside(parent, name, staging, step);
  unlinkSync(old);
}

/** False when the name is taken. */
function placeAnew(from: string, to: string): boolean {
  try {
    const linked = readLink(from);
    if (linked === null) linkOrCopy(from, to);
    else symlinkSync(linked, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Keeps what somebody wrote into the file that was set aside, after it was looked at: an editor that had it open.
 * @returns the name that it has now; null when nobody did.
 */
export function keepLateSave(root: string, staging: string, step: Put): string | null {
  if (step.old?.kind !== 'file' || !existsLink(oldFile(staging, step))) return null;
  if (sameEntry(stagedEntry(staging, `old-${step.number}`), step.old)) return null;
  let kept: string | null = null;
  withParent(root, step.path, (parent, name) => {
    kept = saveBeside(parent, name, staging, step);
  });
  return kept;
}

function saveBeside(parent: PinnedFolder, name: string, staging: string, step: Put): string | null {
  if (sameEntry(stagedEntry(staging, `old-${step.number}`), step.old)) return null;
  for (let attempt = 1; ; attempt++) {
    const beside = `${name}~saved${attempt === 1 ? '' : `-${attempt}`}`;
    if (placeAnew(oldFile(staging, step), parent.address(beside))) return beside;
  }
}

function existsLink(path: string): boolean {
  return statIfThere(path) !== null;
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (hasCode(error, 'EINVAL', 'ENOENT')) return null;
    throw error;
  }
}

function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (lstatSync(path).isDirectory()) return;
    throw error;
  }
  chmodSync(path, mode);
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
  }
}

function setMode(parent: PinnedFolder, name: string, from: number, to: number): void {
  const stats = parent.stat(name);
  if (stats?.isDirectory() === true && (stats.mode & 0o7777) === from) chmodSync(parent.address(name), to);
}
