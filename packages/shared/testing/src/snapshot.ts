import { AssertionError } from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { sep } from 'node:path';

export interface SnapshotOptions {
  /** Paths relative to the root, each with all that lies below it: `.git/cleveragents`. */
  readonly leaveOut?: readonly string[];
  /** Objects that came into a git folder are no difference; objects that went are one. Default false. */
  readonly allowNewObjects?: boolean;
  /** Times of last modification count too, in nanoseconds. Default false. */
  readonly times?: boolean;
}

/** A picture of a folder, byte for byte: one line of facts for each path, by path. */
export interface Snapshot {
  readonly root: string;
  readonly entries: ReadonlyMap<string, string>;
  readonly allowNewObjects: boolean;
}

/**
 * Everything below `root`, the git folder included, and with it refs, HEAD, index, stash and configuration: type, mode,
 * size and SHA-256 of each file, target of each link. No link is followed.
 */
export async function snapshot(
  root: string,
  { leaveOut = [], allowNewObjects = false, times = false }: SnapshotOptions = {},
): Promise<Snapshot> {
  const entries = new Map<string, string>();
  const isLeftOut = (path: string): boolean => leaveOut.some((left) => path === left.replace(/\/$/, ''));
  const visit = async (folder: Buffer, shownFolder: string): Promise<void> => {
    for (const name of await readdir(folder, { encoding: 'buffer' })) {
      const shown = shownFolder + name.toString(isUtf8(name) ? 'utf8' : 'latin1');
      if (isLeftOut(shown)) continue;
      const path = Buffer.concat([folder, Buffer.from(sep), name]);
      const facts = await factsOf(path, times);
      entries.set(shown, facts);
      if (facts.startsWith('folder')) await visit(path, `${shown}/`);
    }
  };
  await visit(Buffer.from(root), '');
  return { root, entries, allowNewObjects };
}

/** @throws AssertionError with one line for each path that differs. */
export function expectUnchanged(before: Snapshot, after: Snapshot): void {
  const paths = [...new Set([...before.entries.keys(), ...after.entries.keys()])].sort();
  const differences = paths.flatMap((path) => {
    const was = before.entries.get(path);
    const is = after.entries.get(path);
    if (was === is || (was === undefined && before.allowNewObjects && isObject(path))) return [];
    if (was === undefined) return [`new      ${path}: ${is ?? ''}`];
    return [is === undefined ? `gone     ${path}: ${was}` : `changed  ${path}: ${was} -> ${is}`];
  });
  if (differences.length === 0) return;
  throw new AssertionError({
    message: [`${before.root} should be unchanged, but:`, ...differences].join('\n  '),
    actual: differences,
    expected: [],
    operator: 'expectUnchanged',
  });
}

const OBJECT = /(^|\.git\/([^/]+\/)*)objects\/([0-9a-f]{2}(\/[0-9a-f]+)?|pack\/[^/]+)$/;

function isObject(path: string): boolean {
  return OBJECT.test(path);
}

async function factsOf(path: Buffer, times: boolean): Promise<string> {
  const status = await lstat(path, { bigint: true });
  const mode = (status.mode & 0o7777n).toString(8);
  const time = times ? ` ${status.mtimeNs.toString()}` : '';
  if (status.isDirectory()) return `folder ${mode}${time}`;
  if (status.isSymbolicLink()) return `link to ${await readlink(path)}`;
  if (!status.isFile()) return `special ${mode}`;
  const hash = createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
    .slice(0, 32);
  return `file ${mode} ${status.size.toString()} bytes ${hash}${time}`;
}
