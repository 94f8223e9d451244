import type { Leaf, ObjectId, TreeEntry, TreeReader } from './objects.ts';
import { comparePaths } from './paths.ts';

/** What lies at one path before and after. Never a directory: those show in the paths below them. */
export interface TreeChange {
  /** From the root, POSIX, raw: never quoted. */
  readonly path: string;
  /** `null`: added. */
  readonly before: Leaf | null;
  /** `null`: deleted. */
  readonly after: Leaf | null;
}

/**
 * Each path at which two trees differ, sorted by bytes; `null` is a tree without entries. Reads only subtrees that differ,
 * each once. Where a file became a directory, the file is deleted and the paths in the directory are added.
 */
export async function diffTrees(
  reader: Pick<TreeReader, 'readTree'>,
  from: ObjectId | null,
  to: ObjectId | null,
): Promise<readonly TreeChange[]> {
  const changes: TreeChange[] = [];
  await compareBelow(reader, { prefix: '', from, to }, changes);
  return changes.sort((a, b) => comparePaths(a.path, b.path));
}

interface Pair {
  /** Empty, or a path with a slash at its end. */
  readonly prefix: string;
  readonly from: ObjectId | null;
  readonly to: ObjectId | null;
}

async function compareBelow(
  reader: Pick<TreeReader, 'readTree'>,
  { prefix, from, to }: Pair,
  changes: TreeChange[],
): Promise<void> {
  if (from === to) return;
  const [before, after] = await Promise.all([entriesOf(reader, from), entriesOf(reader, to)]);
  const below: Pair[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(name);
    const now = after.get(name);
    if (old?.mode === now?.mode && old?.id === now?.id) continue;
    if (old?.mode === '040000' || now?.mode === '040000')
      below.push({ prefix: `${prefix}${name}/`, from: treeIdOf(old), to: treeIdOf(now) });
    const change = { path: prefix + name, before: leafOf(old), after: leafOf(now) };
    if (change.before || change.after) changes.push(change);
  }
  await Promise.all(below.map((pair) => compareBelow(reader, pair, changes)));
}

async function entriesOf(
  reader: Pick<TreeReader, 'readTree'>,
  id: ObjectId | null,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const entries = id === null ? [] : await reader.readTree(id);
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function treeIdOf(entry: TreeEntry | undefined): ObjectId | null {
  return entry?.mode === '040000' ? entry.id : null;
}

function leafOf(entry: TreeEntry | undefined): Leaf | null {
  return entry === undefined || entry.mode === '040000' ? null : { mode: entry.mode, id: entry.id };
}
