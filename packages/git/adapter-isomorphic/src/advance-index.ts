import {
  type CacheTree,
  diffTrees,
  type IndexEntry,
  type IndexStat,
  invalidateCacheTree,
  type ObjectId,
  patchIndex,
  readCacheTree,
} from '@cleveragents/git-domain';
import { type LoadedIndex, sha1 } from './index-file.ts';
import { indexOfTree } from './index-of-tree.ts';
import type { ObjectDatabase } from './object-database.ts';

/** The cache tree of an index that holds exactly `tree`; what `known` has of it is not read again. */
export function advanceCacheTree(
  objects: Pick<ObjectDatabase, 'readTreeSync'>,
  known: CacheTree | null,
  tree: ObjectId,
  name = '',
): CacheTree {
  if (known?.id === tree && known.entryCount >= 0) return { ...known, name };
  const entries = objects.readTreeSync(tree);
  const folders = entries.filter(({ mode }) => mode === '040000');
  const children = folders.map((folder) => {
    const child = known?.children.find((candidate) => candidate.name === folder.name) ?? null;
    return advanceCacheTree(objects, child, folder.id, folder.name);
  });
  const below = children.reduce((count, child) => count + child.entryCount, 0);
  return { name, entryCount: entries.length - folders.length + below, id: tree, children };
}

/**
 * What an index knows of trees once the entries of `paths` changed. An index that held exactly `from` holds exactly `to`
 * then; otherwise only the directories are still known that hold none of the paths.
 */
export function cacheTreeAfter(
  objects: Pick<ObjectDatabase, 'readTreeSync'>,
  { view }: LoadedIndex,
  change: { readonly from: ObjectId; readonly to: ObjectId; readonly paths: readonly string[] },
): CacheTree | null {
  const known = readCacheTree(view);
  if (known === null) return null;
  if (known.id === change.from && known.entryCount === view.entryCount)
    return advanceCacheTree(objects, known, change.to);
  return invalidateCacheTree(known, change.paths);
}

/**
 * The bytes of an index that holds exactly `tree`. Entries that the index has already are kept as they are.
 *
 * @param statOf what to keep of a file whose entry is new.
 */
export async function indexAdvancedTo(
  objects: ObjectDatabase,
  index: LoadedIndex,
  { tree, statOf }: { readonly tree: ObjectId; readonly statOf: (path: string, id: ObjectId) => IndexStat },
): Promise<Uint8Array> {
  const known = readCacheTree(index.view);
  if (known?.id == null || known.entryCount !== index.view.entryCount || hasFlags(index))
    return await indexMadeAnew(objects, index, { tree, statOf });
  const changes = await diffTrees(objects, known.id, tree);
  const set = changes.flatMap(({ path, after }): IndexEntry[] =>
    after === null ? [] : [{ path, ...after, stat: statOf(path, after.id) }],
  );
  const remove = changes.flatMap(({ path, after }) => (after === null ? [path] : []));
  return patchIndex(index.view, { set, remove, cacheTree: advanceCacheTree(objects, known, tree) }, sha1);
}

async function indexMadeAnew(
  objects: ObjectDatabase,
  index: LoadedIndex,
  { tree, statOf }: { readonly tree: ObjectId; readonly statOf: (path: string, id: ObjectId) => IndexStat },
): Promise<Uint8Array> {
  const made = await indexOfTree(objects, tree, index);
  const { view } = made.index;
  for (let entry = 0; entry < view.entryCount; entry++) {
    const source = made.sourceOf(entry);
    const stat = source < 0 ? statOf(view.path(entry), view.idHex(entry)) : index.view.stat(source);
    view.setStat(entry, stat);
  }
  return patchIndex(view, { keepExtensions: ['TREE'] }, sha1);
}

function hasFlags({ view, bytes }: LoadedIndex): boolean {
  for (let entry = 0; entry < view.entryCount; entry++)
    if ((bytes[view.offset(entry) + 60] as number) & 0xc0) return true;
  return false;
}
