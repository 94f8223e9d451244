import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sweepTemporaryFiles } from '@cleveragents/shared-adapter-fs';
import type { ObjectId } from '@cleveragents/git-domain';
import type { ObjectDatabase } from './object-database.ts';
import type { PackedObject } from './pack-codec.ts';
import type { PackFile } from './pack-file.ts';
import { treeOfCommit } from './snapshot-objects.ts';
import { orNullIfDamaged } from './store.errors.ts';
import { referencesOf } from './tree-codec.ts';

/** Many packs make every look-up slow: above this the small ones become one. */
const MOST_PACKS = 20;
const SMALL_PACK_BYTES = 1024 * 1024;
const REWRITTEN_PACK_BYTES = 16 * 1024 * 1024;
/** A pack of which less is garbage is left alone when nobody waits for its bytes. */
const GARBAGE_PART_OF_PACK = 1 / 20;

/** Everything that the commits need. A tree is opened once, however many snapshots share it. */
export function markLiving(objects: ObjectDatabase, commits: Iterable<ObjectId>): ReadonlySet<ObjectId> {
  const living = new Set<ObjectId>();
  const trees: ObjectId[] = [];
  for (const commit of commits) {
    living.add(commit);
    trees.push(treeOfCommit(objects, commit));
  }
  for (let tree = trees.pop(); tree !== undefined; tree = trees.pop()) {
    if (living.has(tree)) continue;
    living.add(tree);
    const references = referencesOf(objects.read(tree, 'tree'));
    for (const blob of references.blobs) living.add(blob);
    trees.push(...references.trees);
  }
  return living;
}

/**
 * Deletes what is not living and returns the bytes freed; unless it is `isThorough`, a little is left in packs. The living of a pack are written anew before the pack goes, so that
 * whenever it is cut short every living object is there at least once.
 */
export async function sweep(
  objects: ObjectDatabase,
  living: ReadonlySet<ObjectId>,
  { objectsPath, isThorough }: { readonly objectsPath: string; readonly isThorough: boolean },
): Promise<number> {
  forgetShortcuts(objectsPath);
  let freed = 0;
  for (const id of objects.loose.ids()) {
    if (living.has(id)) continue;
    freed += objects.loose.sizeOf(id);
    objects.loose.remove(id);
  }
  const packs = objects.packs();
  const leastPart = isThorough ? 0 : GARBAGE_PART_OF_PACK;
  const rewritten = packs.filter((pack) => garbageIn(pack, living) > leastPart * pack.bytes);
  freed += rewritePacks(objects, rewritten, living);
  for (const folder of readdirSync(objectsPath)) await sweepTemporaryFiles(join(objectsPath, folder));
  return freed;
}

/** What git may have written about objects that are about to go, to find others faster. */
function forgetShortcuts(objectsPath: string): void {
  for (const path of ['info/commit-graph', 'info/commit-graphs', 'pack/multi-pack-index'])
    rmSync(join(objectsPath, path), { recursive: true, force: true });
}

/** Keeps everything. Whenever it is cut short every object is there at least once. */
export function mergeSmallPacks(objects: ObjectDatabase): void {
  if (objects.packCount <= MOST_PACKS) return;
  const small = objects.packs().filter(({ bytes }) => bytes < SMALL_PACK_BYTES);
  if (small.length > MOST_PACKS / 2) rewritePacks(objects, small, { has: () => true });
}

function garbageIn(pack: PackFile, living: ReadonlySet<ObjectId>): number {
  let bytes = 0;
  for (const id of pack.ids()) if (!living.has(id)) bytes += pack.sizeOf(id);
  return bytes;
}

function rewritePacks(
  objects: ObjectDatabase,
  packs: readonly PackFile[],
  living: Pick<ReadonlySet<ObjectId>, 'has'>,
): number {
  const written = new Set<ObjectId>();
  const newPaths = new Set<string>();
  const unreadable = new Set<PackFile>();
  let freed = 0;
  let batch: PackedObject[] = [];
  let batchBytes = 0;
  const flush = (): void => {
    if (batch.length > 0) newPaths.add(objects.writePack(batch).path);
    batch = [];
    batchBytes = 0;
  };
  for (const pack of packs)
    for (const id of pack.ids()) {
      const isNeeded = living.has(id) && !written.has(id);
      if (!isNeeded) freed += pack.sizeOf(id);
      const packed = isNeeded ? orNullIfDamaged(() => pack.readPacked(id)) : null;
      if (isNeeded && packed === null) unreadable.add(pack);
      if (packed === null) continue;
      written.add(id);
      batch.push(packed);
      batchBytes += packed.encoded.length;
      if (batchBytes > REWRITTEN_PACK_BYTES) flush();
    }
  flush();
  for (const pack of packs) if (!newPaths.has(pack.path) && !unreadable.has(pack)) objects.removePack(pack);
  return freed;
}
