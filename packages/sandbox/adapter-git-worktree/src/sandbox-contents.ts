import { constants } from 'node:fs';
import { copyFile, cp, lstat, mkdir, readlink, rm, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { UncommittedChange } from '@cleveragents/git-ports';
import { SandboxCreationError } from '@cleveragents/sandbox-domain';
import type { CreateOptions } from '@cleveragents/sandbox-ports';
import {
  hasCode,
  messageOf,
  parseRelativePath,
  type RelativePath,
  ValidationError,
} from '@cleveragents/shared-kernel';
import { containedPath } from './contained-path.ts';

/** The paths of the original that a sandbox is to get besides its commit. */
export interface ExtraContents {
  readonly link: readonly RelativePath[];
  readonly copy: readonly RelativePath[];
}

/**
 * Before anything is made.
 * @throws ValidationError for a path that is no relative path, that is git's own, or that lies in another of them.
 */
export function parseExtraContents({ link = [], copy = [] }: CreateOptions): ExtraContents {
  const contents = { link: link.map(parseRelativePath), copy: copy.map(parseRelativePath) };
  const all = [...contents.link, ...contents.copy];
  for (const path of all) {
    if (/^\.git(\/|$)/i.test(path))
      throw new ValidationError(`${path} belongs to git and cannot be linked or copied`, {
        hint: 'The sandbox is a worktree of the repository and has what git needs.',
      });
    const around = all.find((other) => other !== path && path.startsWith(`${other}/`));
    if (around !== undefined || (contents.link.includes(path) && contents.copy.includes(path)))
      throw new ValidationError(`${path} cannot be placed twice, by itself and with ${around ?? path}`, {
        hint: 'Link or copy either the whole or the part.',
      });
  }
  return contents;
}

/**
 * Refuses what cannot be linked or copied, before anything is made.
 * @throws SandboxCreationError `SANDBOX_SOURCE_MISSING`.
 */
export async function assertSourcesExist(original: string, { link, copy }: ExtraContents): Promise<void> {
  for (const path of [...link, ...copy])
    if ((await lstatOrNull(join(original, path))) === null)
      throw new SandboxCreationError('SANDBOX_SOURCE_MISSING', `${path} does not exist in ${original}`, {
        hint: 'Links and copies are paths of the project, relative to its root.',
        data: { path },
      });
}

/** Puts links and copies into a fresh sandbox. What git put there already is left alone for a link, replaced for a copy. */
export async function placeExtraContents(
  original: string,
  sandbox: string,
  { link, copy }: ExtraContents,
): Promise<readonly string[]> {
  const linked: string[] = [];
  for (const path of link) {
    const target = await containedPath(sandbox, path);
    if ((await lstatOrNull(target)) !== null) continue; // tracked: the sandbox has its own
    await mkdir(dirname(target), { recursive: true });
    await symlink(join(original, path), target);
    linked.push(path);
  }
  for (const path of copy) await copyTree(join(original, path), await containedPath(sandbox, path));
  return linked;
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const [source, target] = [await lstatOrNull(from), await lstatOrNull(to)];
  if (target !== null && (target.isSymbolicLink() || target.isDirectory() !== source?.isDirectory()))
    await rm(to, { recursive: true });
  try {
    await cp(from, to, {
      recursive: true,
      force: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    });
  } catch (cause) {
    if (!/^ERR_FS_CP_/.test(String((cause as { code?: unknown }).code))) throw cause;
    throw new SandboxCreationError(
      'SANDBOX_CREATION_FAILED',
      `${from} cannot be copied: ${messageOf(cause)}`,
      {
        hint: 'Copy what is beside it, path by path.',
        data: { path: from },
        cause,
      },
    );
  }
}

/** Lays the original's uncommitted changes over a fresh sandbox, ignored files excepted. */
export async function placeUncommittedChanges(
  changes: readonly UncommittedChange[],
  original: string,
  sandbox: string,
): Promise<void> {
  for (const { path } of changes)
    if ((await lstatOrNull(join(original, path))) === null)
      await rm(join(sandbox, path), { recursive: true, force: true });
  for (const { path } of changes) await copyEntry(join(original, path), join(sandbox, path));
}

async function copyEntry(from: string, to: string): Promise<void> {
  const stats = await lstatOrNull(from);
  if (stats === null || (!stats.isFile() && !stats.isSymbolicLink())) return;
  await makeParents(dirname(to));
  await rm(to, { recursive: true, force: true });
  if (stats.isSymbolicLink()) {
    await symlink(await readlink(from, { encoding: 'buffer' }), to);
    return;
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await utimes(to, stats.atime, stats.mtime);
}

/** A file that became a directory in the original is still a file in the sandbox. */
async function makeParents(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOTDIR')) throw error;
    let blocker = directory;
    while ((await lstatOrNull(blocker)) === null) blocker = dirname(blocker);
    await rm(blocker);
    await mkdir(directory, { recursive: true });
  }
}

async function lstatOrNull(path: string): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
