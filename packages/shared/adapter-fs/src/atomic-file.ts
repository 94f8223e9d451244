import { link, lstat, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';
import { isProcessAlive, parseProcessMark, processMark } from './process-identity.ts';

export interface AtomicWrite {
  /** Permission bits, exactly, whatever the umask. Default: those of the file that is replaced, else 0666 less the umask. */
  readonly mode?: number;
  /** Default true: once resolved, contents and name survive a power cut. False: they survive only the death of the process. */
  readonly durable?: boolean;
  /** Default false. True: rejects with `EEXIST` when the name is taken, by whatever; nothing is replaced. */
  readonly exclusive?: boolean;
}

const PREFIX = '.cleveragents-';
const SUFFIX = '.tmp';

/**
 * Whoever opens `path`, at whatever moment, finds the old contents or the new ones, whole. A link at `path` is itself
 * replaced; what it leads to stays. Several writers at once: the last one wins.
 *
 * @throws the system's error (`ENOSPC`, `EACCES`, ...), after the temporary file beside the target was removed. The target
 *   is then what it was, unless it was the very last step that failed, the fsync of the directory.
 */
export async function writeFileAtomically(
  path: string,
  bytes: string | Uint8Array,
  options: AtomicWrite = {},
): Promise<void> {
  await writeThrough(join(dirname(path), temporaryName()), path, bytes, options);
}

/** A name for a temporary file, never given out twice, that {@link sweepTemporaryFiles} knows. */
export function temporaryName(): string {
  return `${PREFIX}${processMark()}${SUFFIX}`;
}

/** The same, by way of a temporary file of a given name; apart so that a test can plant something at that name. */
export async function writeThrough(
  temporary: string,
  path: string,
  bytes: string | Uint8Array,
  { mode, durable = true, exclusive = false }: AtomicWrite,
): Promise<void> {
  const finalMode = mode ?? (exclusive ? undefined : await modeOf(path));
  // `wx` neither follows nor overwrites what lies at the temporary name. What is to be private is so from the first byte on.
  const handle = await open(temporary, 'wx', finalMode === undefined ? 0o666 : 0o600);
  try {
    await fill(handle, bytes, finalMode, durable);
    if (exclusive) await link(temporary, path);
    else await rename(temporary, path);
  } catch (error) {
    await removeIfPossible(temporary);
    throw error;
  }
  if (exclusive) await removeIfPossible(temporary);
  if (durable) await syncDirectory(dirname(path));
}

/**
 * Removes the temporary files that killed processes left in `directory`; those of running processes stay.
 * A missing directory has none.
 */
export async function sweepTemporaryFiles(directory: string): Promise<void> {
  for (const name of await namesIn(directory)) {
    if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) continue;
    const maker = parseProcessMark(name.slice(PREFIX.length, -SUFFIX.length));
    if (maker !== null && !isProcessAlive(maker)) await unlinkIfThere(join(directory, name));
  }
}

/** Makes the names in a directory survive a power cut. Nothing to do where the system has no such call. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems know no fsync of a directory.
    if (!hasCode(error, 'EINVAL', 'ENOTSUP')) throw error;
  } finally {
    await handle.close();
  }
}

async function fill(
  handle: FileHandle,
  bytes: string | Uint8Array,
  mode: number | undefined,
  durable: boolean,
): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (mode !== undefined) await handle.chmod(mode);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    const present = await lstat(path);
    return present.isFile() ? present.mode & 0o7777 : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A failure here changes nothing about the outcome; the file's name tells a later sweep what it is. */
async function removeIfPossible(temporary: string): Promise<void> {
  await unlink(temporary).catch(() => undefined);
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
