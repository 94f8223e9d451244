import {
  cacheTreeOf,
  type IndexEntry,
  type ObjectId,
  readCacheTree,
  readIndex,
  writeIndex,
} from '@cleveragents/git-domain';
import { type LoadedIndex, sha1 } from './index-file.ts';
import type { ObjectDatabase } from './object-database.ts';

/** An index that holds exactly a tree, and where another index has the same content. */
export interface TreeIndex {
  readonly index: LoadedIndex;
  /** Number of the other index's entry with the same path, mode and id; -1 when there is none. */
  sourceOf(entry: number): number;
}

const ASSUME_VALID_OR_EXTENDED = 0xc0;
const COMPARED_FROM = 24;

/**
 * The index of a tree with no stat known. Where the other index is of that very tree its entries are taken over without
 * reading a tree object.
 */
export async function indexOfTree(
  objects: ObjectDatabase,
  tree: ObjectId,
  other: LoadedIndex | null,
): Promise<TreeIndex> {
  if (other !== null && isPlainIndexOf(other, tree)) {
    const bytes = Buffer.from(other.bytes);
    return {
      index: { view: readIndex(bytes), bytes, writtenMs: other.writtenMs },
      sourceOf: (entry) => entry,
    };
  }
  const entries: IndexEntry[] = [];
  collectEntries(objects, tree, '', entries);
  const bytes = Buffer.from(writeIndex(entries, sha1, { cacheTree: await cacheTreeOf(objects, tree) }));
  const index = { view: readIndex(bytes), bytes, writtenMs: Number.NEGATIVE_INFINITY };
  return { index, sourceOf: other === null ? (): number => -1 : matcher(index, other) };
}

export function collectEntries(
  objects: Pick<ObjectDatabase, 'readTreeSync'>,
  tree: ObjectId,
  prefix: string,
  entries: IndexEntry[],
): void {
  for (const { name, mode, id } of objects.readTreeSync(tree)) {
    if (mode === '040000') collectEntries(objects, id, `${prefix}${name}/`, entries);
    else entries.push({ path: prefix + name, mode, id });
  }
}

function isPlainIndexOf(index: LoadedIndex, tree: ObjectId): boolean {
  const { view, bytes } = index;
  const root = readCacheTree(view);
  if (root?.id !== tree || root.entryCount !== view.entryCount) return false;
  for (let entry = 0; entry < view.entryCount; entry++)
    if ((bytes[view.offset(entry) + 60] as number) & ASSUME_VALID_OR_EXTENDED) return false;
  return true;
}

/** Both are in the same order, and are asked in it. */
function matcher(index: LoadedIndex, other: LoadedIndex): (entry: number) => number {
  let next = 0;
  return (entry) => {
    const path = Buffer.from(index.view.pathBytes(entry));
    while (next < other.view.entryCount && Buffer.compare(other.view.pathBytes(next), path) < 0) next++;
    const isThere =
      next < other.view.entryCount && path.equals(other.view.pathBytes(next)) && other.view.stage(next) === 0;
    return isThere && hasSameContent(index, entry, other, next) ? next : -1;
  };
}

function hasSameContent(index: LoadedIndex, entry: number, other: LoadedIndex, otherEntry: number): boolean {
  const [from, otherFrom] = [index.view.offset(entry), other.view.offset(otherEntry)];
  const isSameMode =
    index.bytes.readUInt32BE(from + COMPARED_FROM) === other.bytes.readUInt32BE(otherFrom + COMPARED_FROM);
  return (
    isSameMode &&
    index.bytes.subarray(from + 40, from + 60).equals(other.bytes.subarray(otherFrom + 40, otherFrom + 60))
  );
}
