import { join } from 'node:path';
import type { ObjectId, TreeEntry } from '@cleveragents/git-domain';
import type { ObjectStore } from '@cleveragents/git-ports';

const LINK_MODE = '120000';

/**
 * The tree without the links to the original that we put into the sandbox. An agent's `git add -A` takes them in where
 * the ignore rule names a directory (`node_modules/`), and they mean nothing outside of the sandbox.
 */
export async function withoutLinkedPaths(
  objects: ObjectStore,
  tree: ObjectId,
  { linkedPaths, originalPath }: { readonly linkedPaths: readonly string[]; readonly originalPath: string },
): Promise<ObjectId> {
  let result: ObjectId | null = tree;
  for (const path of linkedPaths) {
    if (result === null) break;
    const isOurs = async (entry: TreeEntry): Promise<boolean> =>
      entry.mode === LINK_MODE && textOf(await objects.readBlob(entry.id)) === join(originalPath, path);
    result = await without(objects, result, path.split('/'), isOurs);
  }
  return result ?? objects.writeTree([]);
}

/** Null when nothing is left of the tree: git knows no empty folders. */
async function without(
  objects: ObjectStore,
  tree: ObjectId,
  [name = '', ...rest]: readonly string[],
  isMeant: (entry: TreeEntry) => Promise<boolean>,
): Promise<ObjectId | null> {
  const entries = await objects.readTree(tree);
  const entry = entries.find((each) => each.name === name);
  if (entry === undefined) return tree;
  const others = entries.filter((each) => each !== entry);
  const kept = await remainderOf(entry);
  if (kept === entry.id) return tree;
  if (kept !== null)
    return objects.writeTree(entries.map((each) => (each === entry ? { ...each, id: kept } : each)));
  return others.length === 0 ? null : objects.writeTree(others);

  async function remainderOf(found: TreeEntry): Promise<ObjectId | null> {
    if (rest.length === 0) return (await isMeant(found)) ? null : found.id;
    return found.mode === '040000' ? without(objects, found.id, rest, isMeant) : found.id;
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
