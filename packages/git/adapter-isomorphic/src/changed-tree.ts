import {
  type CacheTree,
  EMPTY_TREE_ID,
  type Leaf,
  type ObjectId,
  type TreeEntry,
} from '@cleveragents/git-domain';
import type { LoadedIndex } from './index-file.ts';
import { endOfFolder, endOfPath, type IndexRange, nameAt } from './index-range.ts';
import type { ObjectDatabase } from './object-database.ts';

export interface PathChange {
  readonly path: string;
  /** Null: nothing is there any more. */
  readonly leaf: Leaf | null;
}

/** What changes in one directory and below, by name. */
interface Changes {
  readonly leaves: Map<string, Leaf | null>;
  readonly folders: Map<string, Changes>;
}

/**
 * The tree that an index makes once `changes` are applied to it. Directories without a change, whose tree the index knows,
 * are taken as they are; only trees that are new get written.
 *
 * @param cacheTree what the index knows of trees; null: nothing.
 */
export function writeChangedTree(
  objects: Pick<ObjectDatabase, 'writeTreeSync'>,
  { index, cacheTree, changes }: ChangedIndex,
): ObjectId {
  const builder = new TreeBuilder(objects, index);
  const range = { start: 0, end: index.view.entryCount };
  return builder.write({ path: '', range, known: cacheTree, changes: group(changes) }) ?? EMPTY_TREE_ID;
}

export interface ChangedIndex {
  readonly index: LoadedIndex;
  readonly cacheTree: CacheTree | null;
  readonly changes: readonly PathChange[];
}

interface Directory {
  /** Empty for the root. */
  readonly path: string;
  readonly range: IndexRange;
  readonly known: CacheTree | null;
  readonly changes: Changes | null;
}

class TreeBuilder {
  readonly #objects: Pick<ObjectDatabase, 'writeTreeSync'>;
  readonly #index: LoadedIndex;

  constructor(objects: Pick<ObjectDatabase, 'writeTreeSync'>, index: LoadedIndex) {
    this.#objects = objects;
    this.#index = index;
  }

  /** Null when nothing is in it. */
  write(directory: Directory): ObjectId | null {
    const { known, range, changes } = directory;
    if (changes === null && known?.id && known.entryCount === range.end - range.start)
      return range.end === range.start ? null : known.id;
    const entries = this.#entriesOf(directory);
    return entries.length === 0 ? null : this.#objects.writeTreeSync(entries);
  }

  #entriesOf({ path, range, known, changes }: Directory): TreeEntry[] {
    const { view } = this.#index;
    const prefix = path === '' ? '' : `${path}/`;
    const prefixBytes = Buffer.byteLength(prefix);
    const entries: TreeEntry[] = [];
    const open = new Set(changes?.folders.keys());
    for (let entry = range.start; entry < range.end;) {
      const { name, isFolder } = nameAt(this.#index, entry, prefixBytes);
      const rest = { start: entry, end: range.end };
      if (isFolder) {
        const end = endOfFolder(this.#index, rest, prefix + name);
        const child = known?.children.find((candidate) => candidate.name === name) ?? null;
        open.delete(name);
        const id = this.write({
          path: prefix + name,
          range: { start: entry, end },
          known: child,
          changes: changes?.folders.get(name) ?? null,
        });
        if (id !== null) entries.push({ name, mode: '040000', id });
        entry = end;
        continue;
      }
      if (changes?.leaves.has(name) !== true)
        entries.push({ name, mode: view.mode(entry), id: view.idHex(entry) });
      entry = endOfPath(this.#index, rest);
    }
    return [...entries, ...this.#added(prefix, open, changes)];
  }

  #added(prefix: string, open: ReadonlySet<string>, changes: Changes | null): TreeEntry[] {
    const entries: TreeEntry[] = [];
    for (const [name, leaf] of changes?.leaves ?? []) if (leaf !== null) entries.push({ name, ...leaf });
    for (const name of open) {
      const id = this.write({
        path: prefix + name,
        range: { start: 0, end: 0 },
        known: null,
        changes: changes?.folders.get(name) ?? null,
      });
      if (id !== null) entries.push({ name, mode: '040000', id });
    }
    return entries;
  }
}

function group(changes: readonly PathChange[]): Changes | null {
  if (changes.length === 0) return null;
  const root: Changes = { leaves: new Map(), folders: new Map() };
  for (const { path, leaf } of changes) {
    const segments = path.split('/');
    const name = segments.pop() as string;
    let folder = root;
    for (const segment of segments) {
      const child = folder.folders.get(segment) ?? { leaves: new Map(), folders: new Map() };
      folder.folders.set(segment, child);
      folder = child;
    }
    folder.leaves.set(name, leaf);
  }
  return root;
}
