import { compareBytes, concatBytes, encodeUtf8, equalBytes } from '../bytes.ts';
import { GitFormatError } from '../git-format.errors.ts';
import { isObjectId } from '../objects.ts';
import { comparePaths, requirePath } from '../paths.ts';
import { type CacheTree, encodeCacheTree } from './cache-tree.ts';
import type { IndexEntry, Sha1 } from './entry.ts';
import {
  encodeEntry,
  EXTENDED,
  FLAGS_OFFSET,
  HEADER_BYTES,
  readUint16,
  SIGNATURE,
  writeUint32,
} from './layout.ts';
import type { IndexView } from './view.ts';

/** How an index shall differ from another one. */
export interface IndexPatch {
  /** Entries to add or to put in the place of those at their path. A merged one replaces all stages, and the reverse. */
  readonly set?: readonly IndexEntry[];
  /** Paths to take out, all stages; one that is not there is fine. */
  readonly remove?: readonly string[];
  /**
   * Extensions to carry over as they are, beside REUC. TREE, UNTR and FSMN describe the entries and go stale when those
   * change, so they are dropped unless named here.
   */
  readonly keepExtensions?: readonly string[];
  /** Written as TREE in the place of the old one. */
  readonly cacheTree?: CacheTree;
}

const LEAF_MODES: readonly string[] = ['100644', '100755', '120000', '160000'];
/** These say where entries lie in the file, so no copy of them is ever right. */
const POSITIONAL = ['EOIE', 'IEOT'];

/**
 * The bytes of an index that is `view` with the patch applied: every entry that the patch does not name is kept bit for
 * bit. Version 3 when an entry needs it, else 2, as git does. `view` is not changed.
 *
 * @throws GitFormatError `GIT_PATH_REFUSED`, `GIT_INDEX_PATH_CONFLICT`.
 */
export function patchIndex(view: IndexView, patch: IndexPatch, sha1: Sha1): Uint8Array {
  const set = prepare(patch.set ?? []);
  const removed = [...(patch.remove ?? [])].sort(comparePaths).map(encodeUtf8);
  const entries = mergeEntries(view, set, removed);
  requireNoOverlap(entries);
  const kept = ['REUC', ...(patch.keepExtensions ?? [])].filter(
    (signature) => !POSITIONAL.includes(signature),
  );
  const extensions = view.extensions
    .filter(({ signature }) => kept.includes(signature) && !(signature === 'TREE' && patch.cacheTree))
    .map(({ start, end }) => view.bytes.subarray(start - 8, end));
  const tree = patch.cacheTree ? [extensionOf('TREE', encodeCacheTree(patch.cacheTree))] : [];
  return assemble(
    entries.map(({ bytes }) => bytes),
    [...tree, ...extensions],
    sha1,
    coalesce,
  );
}

/**
 * The bytes of a new index; entries may come in any order.
 *
 * @throws GitFormatError as `patchIndex`.
 */
export function writeIndex(
  entries: readonly IndexEntry[],
  sha1: Sha1,
  options: { readonly cacheTree?: CacheTree } = {},
): Uint8Array {
  const prepared = prepare(entries);
  requireNoOverlap(prepared);
  const tree = options.cacheTree ? [extensionOf('TREE', encodeCacheTree(options.cacheTree))] : [];
  return assemble(
    prepared.map(({ bytes }) => bytes),
    tree,
    sha1,
  );
}

interface PreparedEntry {
  readonly path: Uint8Array;
  readonly stage: number;
  readonly bytes: Uint8Array;
  /** Not in the index before. */
  readonly isNew: boolean;
}

function prepare(entries: readonly IndexEntry[]): readonly PreparedEntry[] {
  const sorted = [...entries].sort((a, b) => comparePaths(a.path, b.path) || (a.stage ?? 0) - (b.stage ?? 0));
  sorted.forEach((entry, at) => {
    requirePath(entry.path);
    if (!LEAF_MODES.includes(entry.mode) || !isObjectId(entry.id))
      throw new Error(`no entry of an index: ${JSON.stringify(entry)}`);
    const previous = sorted[at - 1];
    if (previous?.path !== entry.path) return;
    if (previous.stage === entry.stage || (previous.stage ?? 0) === 0)
      throw pathConflict(entry.path, 'is given twice');
  });
  return sorted.map((entry) => ({
    path: encodeUtf8(entry.path),
    stage: entry.stage ?? 0,
    bytes: encodeEntry(entry),
    isNew: true,
  }));
}

/** One walk over both sorted lists. */
function mergeEntries(
  view: IndexView,
  set: readonly PreparedEntry[],
  removed: readonly Uint8Array[],
): readonly PreparedEntry[] {
  const result: PreparedEntry[] = [];
  let nextSet = 0;
  let nextRemoved = 0;
  for (let entry = 0; entry < view.entryCount; entry++) {
    const path = view.pathBytes(entry);
    while (nextRemoved < removed.length && compareBytes(removed[nextRemoved] as Uint8Array, path) < 0)
      nextRemoved++;
    while (nextSet < set.length && compareBytes((set[nextSet] as PreparedEntry).path, path) < 0)
      result.push(set[nextSet++] as PreparedEntry);
    const stage = view.stage(entry);
    const isRemoved = nextRemoved < removed.length && equalBytes(removed[nextRemoved] as Uint8Array, path);
    if (isRemoved || isReplaced(set, nextSet, path, stage)) continue;
    while (isAt(set[nextSet], path) && (set[nextSet] as PreparedEntry).stage < stage)
      result.push(set[nextSet++] as PreparedEntry);
    const bytes = view.bytes.subarray(view.offset(entry), view.endOffset(entry));
    result.push({ path, stage, bytes, isNew: false });
  }
  return [...result, ...set.slice(nextSet)];
}

function isAt(entry: PreparedEntry | undefined, path: Uint8Array): boolean {
  return entry !== undefined && equalBytes(entry.path, path);
}

/** Whether one of the set entries (those from `start` on are not placed yet) takes the place of the stage at the path. */
function isReplaced(set: readonly PreparedEntry[], start: number, path: Uint8Array, stage: number): boolean {
  let first = start;
  while (isAt(set[first - 1], path)) first--;
  for (let at = first; isAt(set[at], path); at++) {
    const other = (set[at] as PreparedEntry).stage;
    if (other === stage || other === 0 || stage === 0) return true;
  }
  return false;
}

/** No merged path may be a directory of another one. Only what is new can have brought that about. */
function requireNoOverlap(entries: readonly PreparedEntry[]): void {
  const isMerged = (at: number): boolean => entries[at]?.stage === 0;
  for (const { path, stage, isNew } of entries) {
    if (!isNew || stage !== 0) continue;
    for (let end = path.indexOf(0x2f); end >= 0; end = path.indexOf(0x2f, end + 1)) {
      const folder = path.subarray(0, end);
      const at = lowerBound(entries, folder);
      if (isMerged(at) && isAt(entries[at], folder)) throw pathConflict(folder, 'is a file and a directory');
    }
    const below = concatBytes([path, Uint8Array.of(0x2f)]);
    for (let at = lowerBound(entries, below); startsWith(entries[at], below); at++)
      if (isMerged(at)) throw pathConflict(path, 'is a file and a directory');
  }
}

function startsWith(entry: PreparedEntry | undefined, path: Uint8Array): boolean {
  return entry !== undefined && equalBytes(entry.path.subarray(0, path.length), path);
}

function lowerBound(entries: readonly PreparedEntry[], path: Uint8Array): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes((entries[middle] as PreparedEntry).path, path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function assemble(
  entries: readonly Uint8Array[],
  extensions: readonly Uint8Array[],
  sha1: Sha1,
  join = (parts: readonly Uint8Array[]): readonly Uint8Array[] => parts,
): Uint8Array {
  const isExtended = (entry: Uint8Array): boolean => (readUint16(entry, FLAGS_OFFSET) & EXTENDED) !== 0;
  const header = new Uint8Array(HEADER_BYTES);
  writeUint32(header, 0, SIGNATURE);
  writeUint32(header, 4, entries.some(isExtended) ? 3 : 2);
  writeUint32(header, 8, entries.length);
  const parts = [header, ...join(entries), ...extensions];
  return concatBytes([...parts, sha1(parts)]);
}

/** Neighbours in one buffer become one part: most entries lie as they lay before, and are copied by the thousand. */
function coalesce(entries: readonly Uint8Array[]): readonly Uint8Array[] {
  const runs: { readonly buffer: ArrayBufferLike; readonly start: number; end: number }[] = [];
  for (const { buffer, byteOffset, length } of entries) {
    const last = runs.at(-1);
    if (last?.buffer === buffer && last.end === byteOffset) last.end += length;
    else runs.push({ buffer, start: byteOffset, end: byteOffset + length });
  }
  return runs.map(({ buffer, start, end }) => new Uint8Array(buffer, start, end - start));
}

function extensionOf(signature: string, content: Uint8Array): Uint8Array {
  const head = new Uint8Array(8);
  head.set(encodeUtf8(signature));
  writeUint32(head, 4, content.length);
  return concatBytes([head, content]);
}

function pathConflict(path: string | Uint8Array, what: string): GitFormatError {
  const text = typeof path === 'string' ? path : new TextDecoder().decode(path);
  return new GitFormatError('GIT_INDEX_PATH_CONFLICT', `${JSON.stringify(text)} ${what}`, {
    data: { path: text },
  });
}
