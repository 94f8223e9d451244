import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import type { RootedPath, WriteOptions, WriteOutcome } from '@cleveragents/shared-kernel';
import { hasCode, refuseGitNames, rootedFileError, traversalRefused } from '@cleveragents/shared-kernel';
import { processMark } from './process-identity.ts';
import type { SystemCalls } from './rooted-calls.ts';
import { unlessMissing } from './rooted-errors.ts';
import type { Pin, Pinning } from './rooted-pinning.ts';
import { readWhole, refuseUnlessFile, sha256Of } from './rooted-reading.ts';
import { leadsOut } from './rooted-resolution.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
const NEW_FILE = O_CREAT | O_EXCL | O_WRONLY | (constants.O_NOFOLLOW ?? 0);

/** As `sweepTemporaryFiles` knows the left-overs of killed processes. */
function temporaryName(): string {
  return `.cleveragents-${processMark()}.tmp`;
}

export interface Access {
  readonly root: string;
  readonly pinning: Pinning;
  readonly calls: SystemCalls;
}

/** A directory that is held, and a name in it: where a file is, or will be. */
export interface Place {
  readonly parent: Pin;
  readonly name: string;
  readonly existing: Stats | undefined;
}

/** The directories that were made for a write, so that a failed one can take them back. */
export type MadeDirectories = { readonly parentPath: string; readonly name: string }[];

/** Where a write to `path` goes. The caller releases `parent`. */
export function placeForWriting(
  path: RootedPath,
  access: Access,
  options: WriteOptions,
  made: MadeDirectories,
): Place {
  const target = unlessMissing(() => access.pinning.reach(path.segments.join('/')));
  if (target === undefined) return placeOfNewFile(path, access, options, made);
  try {
    refuseUnlessFile(path.raw, target);
    refuseGitNames(path.raw, target.path.split('/'));
    access.calls.access(target.address, constants.W_OK);
    const slash = target.path.lastIndexOf('/');
    const parentPath = target.path.slice(0, Math.max(slash, 0));
    const parent = access.pinning.reach(parentPath);
    if (parent.path !== parentPath) {
      parent.release();
      throw traversalRefused();
    }
    return { parent, name: target.path.slice(slash + 1), existing: target.stats };
  } finally {
    target.release();
  }
}

function placeOfNewFile(
  path: RootedPath,
  access: Access,
  options: WriteOptions,
  made: MadeDirectories,
): Place {
  const name = path.segments.at(-1) ?? '';
  const parent = reachDirectory(
    path,
    path.segments.slice(0, -1),
    access,
    options.makeParents === true ? made : undefined,
  );
  try {
    const entry = unlessMissing(() => access.pinning.reachEntry(name, parent));
    entry?.release();
    if (entry?.stats.isSymbolicLink() === true) throw brokenLink(path, access);
    return { parent, name, existing: entry?.stats };
  } catch (error) {
    parent.release();
    throw error;
  }
}

/**
 * Holds the directory that `segments` name, one component at a time: what is missing is made when `made` is given.
 */
export function reachDirectory(
  path: RootedPath,
  segments: readonly string[],
  access: Access,
  made: MadeDirectories | undefined,
): Pin {
  let directory = access.pinning.reach('');
  try {
    for (const [index, segment] of segments.entries()) {
      const mayMake = made !== undefined && !segments.slice(index).includes('..');
      const next =
        unlessMissing(() => access.pinning.reach(segment, directory)) ??
        makeInside(path, segment, directory, access, mayMake ? made : undefined);
      directory.release();
      directory = next;
      if (!directory.stats.isDirectory())
        throw rootedFileError(
          'NOT_A_DIRECTORY',
          path.raw,
          'passes through something that is not a directory',
        );
      refuseGitNames(path.raw, directory.path.split('/'));
    }
    return directory;
  } catch (error) {
    directory.release();
    throw error;
  }
}

function makeInside(
  path: RootedPath,
  name: string,
  directory: Pin,
  access: Access,
  made: MadeDirectories | undefined,
): Pin {
  const { calls, pinning } = access;
  const entry = unlessMissing(() => pinning.reachEntry(name, directory));
  entry?.release();
  if (entry?.stats.isSymbolicLink() === true) throw brokenLink(path, access);
  if (made === undefined)
    throw rootedFileError('FILE_NOT_FOUND', path.raw, 'lies in a directory that was not found');
  try {
    calls.mkdir(`${directory.address}/${name}`);
    made.push({ parentPath: directory.path, name });
  } catch (error) {
    // Somebody was faster; what they made is looked at next.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return pinning.reachEntry(name, directory);
}

function brokenLink(path: RootedPath, { root, calls }: Access): Error {
  if (leadsOut(path.segments, root, calls)) return traversalRefused();
  return rootedFileError(
    'FILE_NOT_FOUND',
    path.raw,
    'is, or passes through, a link whose target was not found',
    {
      hint: 'Delete the link, or write to its target.',
    },
  );
}

/** Takes back, innermost first, what is still empty. */
export function unmakeDirectories(made: MadeDirectories, { pinning, calls }: Access): void {
  for (const { parentPath, name } of made.toReversed()) {
    try {
      const parent = pinning.reach(parentPath);
      try {
        if (parent.path === parentPath) calls.rmdir(`${parent.address}/${name}`);
      } finally {
        parent.release();
      }
    } catch {
      // It is in use by now, so it is no longer ours to take back; the failure to report is the write's.
      return;
    }
  }
}

export function replaceFile(
  path: RootedPath,
  place: Place,
  bytes: Uint8Array,
  options: WriteOptions,
  { calls, pinning }: Access,
): WriteOutcome {
  const { parent, name, existing } = place;
  const temporary = `${parent.address}/${temporaryName()}`;
  const descriptor = calls.open(temporary, NEW_FILE, existing === undefined ? 0o666 : 0o600);
  try {
    let mode: number;
    try {
      writeAll(descriptor, bytes, calls);
      mode = takeOver(descriptor, existing, calls);
    } finally {
      calls.close(descriptor);
    }
    refuseIfChanged(path, place, options, pinning, calls);
    calls.rename(temporary, `${parent.address}/${name}`);
    const relative = parent.path === '' ? name : `${parent.path}/${name}`;
    return {
      created: existing === undefined,
      status: { path: relative, type: 'file', size: bytes.length, mode },
    };
  } catch (error) {
    removeQuietly(temporary, calls);
    throw error;
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, calls: SystemCalls): void {
  for (let offset = 0; offset < bytes.length;) offset += calls.write(descriptor, bytes, offset);
}

/** Gives the new file the permissions of the old one, and its owner where we may; answers the mode it has then. */
function takeOver(descriptor: number, existing: Stats | undefined, calls: SystemCalls): number {
  const fresh = calls.fstat(descriptor);
  if (existing === undefined) return fresh.mode & 0o777;
  if (fresh.uid !== existing.uid || fresh.gid !== existing.gid) {
    try {
      calls.fchown(descriptor, existing.uid, existing.gid);
    } catch (error) {
      if (!hasCode(error, 'EPERM', 'EINVAL')) throw error;
    }
  }
  const mode = existing.mode & 0o777;
  calls.fchmod(descriptor, mode);
  return mode;
}

/** The last look before the rename: the shorter the time between, the fewer writers can be overwritten unseen. */
function refuseIfChanged(
  path: RootedPath,
  { parent, name, existing }: Place,
  { expectedSha256 }: WriteOptions,
  pinning: Pinning,
  calls: SystemCalls,
): void {
  if (expectedSha256 === undefined) return;
  if (existing !== undefined) {
    const descriptor = unlessMissing(() => pinning.openChild(name, parent));
    if (descriptor !== undefined) {
      try {
        const { size } = calls.fstat(descriptor);
        const bytes = size === existing.size ? readWhole(descriptor, size, size, calls) : undefined;
        if (bytes !== undefined && sha256Of(bytes) === expectedSha256) return;
      } finally {
        calls.close(descriptor);
      }
    }
  }
  throw rootedFileError('FILE_CHANGED', path.raw, 'is not what was expected: it has changed meanwhile', {
    hint: 'Read the file again and repeat the change on what it holds now.',
  });
}

function removeQuietly(temporary: string, calls: SystemCalls): void {
  try {
    calls.unlink(temporary);
  } catch {
    // The failure to report is the write's; the name tells a later sweep what this file is.
  }
}
