import type { Fingerprint, RootedPath } from '@cleveragents/shared-kernel';
import { hasCode } from '@cleveragents/shared-kernel';
import { unlessMissing } from './rooted-errors.ts';
import type { Pin } from './rooted-pinning.ts';
import { readInChunks, sha256Of, sha256OfChunks, statusOf } from './rooted-reading.ts';
import { parentOf, reachPath } from './rooted-resolution.ts';
import type { Access } from './rooted-writing.ts';

/** The name itself, and what it reaches when it is a link. Throws the system's errors as they come. */
export async function fingerprintOf(
  path: RootedPath,
  maxBytes: number,
  access: Access,
): Promise<Fingerprint | undefined> {
  const name = path.segments.at(-1);
  if (name === undefined || name === '..') return undefined;
  const found = entryOf(path, name, access);
  if (found === undefined) return undefined;
  const { entry, link } = found;
  try {
    if (link === undefined) return await ofFile(entry, maxBytes, access);
    const text = Buffer.from(link);
    return {
      path: entry.path,
      type: 'link',
      sha256: sha256Of(text),
      size: text.length,
      mode: entry.stats.mode & 0o777,
      target: await targetOf(path, maxBytes, access),
    };
  } finally {
    entry.release();
  }
}

function entryOf(
  path: RootedPath,
  name: string,
  { root, pinning, calls }: Access,
): { readonly entry: Pin; readonly link: string | undefined } | undefined {
  const parent = reachPath(parentOf(path), pinning, root, calls);
  try {
    const entry = unlessMissing(() => pinning.reachEntry(name, parent));
    if (entry === undefined) return undefined;
    try {
      const link = entry.stats.isSymbolicLink() ? calls.readlink(`${parent.address}/${name}`) : undefined;
      return { entry, link };
    } catch (error) {
      entry.release();
      throw error;
    }
  } finally {
    parent.release();
  }
}

async function ofFile(
  pin: Pin,
  maxBytes: number,
  { pinning, calls }: Access,
): Promise<Fingerprint | undefined> {
  const { path, type, size, mode } = statusOf(pin);
  if (type !== 'file') return undefined;
  const sha256 = size > maxBytes ? null : await sha256OfChunks(readInChunks(pin, pinning, calls), maxBytes);
  return { path, type, sha256, size, mode };
}

async function targetOf(
  path: RootedPath,
  maxBytes: number,
  access: Access,
): Promise<Fingerprint | undefined> {
  let target: Pin | undefined;
  try {
    target = reachPath(path, access.pinning, access.root, access.calls);
    return await ofFile(target, maxBytes, access);
  } catch (error) {
    // A link to nothing, in circles, or out: it has no target that concerns this root.
    if (hasCode(error, 'FILE_NOT_FOUND', 'PATH_TRAVERSAL', 'PATH_INVALID', 'NOT_A_DIRECTORY'))
      return undefined;
    throw error;
  } finally {
    target?.release();
  }
}
