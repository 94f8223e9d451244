import type { ObjectId, TreeEntry, TreeReader } from '../objects.ts';
import type { CollectedPaths, DeferredFolder, SideChanges } from './collected-paths.ts';
import {
  EVERYWHERE,
  IN_BASE,
  IN_BOTH_SIDES,
  IN_OURS,
  IN_THEIRS,
  leafOf,
  type MergedPath,
  OURS,
  otherSide,
  parentOf,
  type Side,
  SIDES,
  THEIRS,
  type TreeSet,
  treeSet,
  type Trio,
} from './merged-path.ts';
import { inTableOrder } from './table-order.ts';
import { inWalkOrder } from './walk-order.ts';

/**
 * Walks through three trees at once and notes each path that they do not agree on, and what may have been renamed. A
 * directory that is the same everywhere, or that one side alone changed, is not looked into unless a rename may have led
 * into it: with two sides that each touch a corner of a large tree, little of it is read.
 */
export async function collectPaths(
  reader: Pick<TreeReader, 'readTree'>,
  trees: Trio<ObjectId | null>,
): Promise<CollectedPaths> {
  const walk = new Walk(reader);
  await walk.folder('', trees, 0);
  for (const side of SIDES) await walk.finishDeferred(side);
  return { paths: walk.paths, changes: walk.changes };
}

function noChanges(): SideChanges {
  return { gone: [], added: [], relevantSources: new Map(), removedFolders: new Map() };
}

/** One name in three trees. */
interface Visit {
  readonly folder: string;
  readonly path: string;
  readonly entries: Trio<TreeEntry | null>;
  readonly files: TreeSet;
  readonly folders: TreeSet;
  /** Which trees agree on the whole entry. */
  readonly matches: TreeSet;
  /**
   * Whether directory renames matter here: 0 no; the set of the side that kept a directory which the other side removed;
   * everywhere, once the side that kept it was seen to add a file to it.
   */
  readonly renameSets: TreeSet;
}

class Walk {
  readonly paths = new Map<string, MergedPath>();
  readonly changes: Record<Side, SideChanges> = { [OURS]: noChanges(), [THEIRS]: noChanges() };
  readonly #reader: Pick<TreeReader, 'readTree'>;
  readonly #deferred: Record<Side, DeferredFolder[]> = { [OURS]: [], [THEIRS]: [] };
  readonly #mayDefer: Record<Side, boolean> = { [OURS]: true, [THEIRS]: true };

  constructor(reader: Pick<TreeReader, 'readTree'>) {
    this.#reader = reader;
  }

  async folder(folder: string, trees: Trio<ObjectId | null>, inherited: TreeSet): Promise<void> {
    const visits = await this.#visits(folder, trees);
    const addsFile = visits.some(({ files }) => files !== 0 && files === inherited);
    const renameSets = inherited !== 0 && addsFile ? EVERYWHERE : inherited;
    for (const visit of visits) await this.#visit({ ...visit, renameSets });
  }

  /** Looks into the directories put aside if there are renames of that side to be found, else takes them over whole. */
  async finishDeferred(side: Side): Promise<void> {
    const mayDefer = this.changes[side].relevantSources.size === 0;
    this.#mayDefer[side] = mayDefer;
    const deferred = new Map(this.#deferred[side].splice(0).map((folder) => [folder.path, folder]));
    for (const path of inTableOrder([...deferred.keys()])) {
      const { trees, renameSets } = deferred.get(path) as DeferredFolder;
      const merged = this.paths.get(path) as MergedPath;
      if (mayDefer) takeWhole(merged, side);
      else {
        merged.matches &= merged.files;
        await this.folder(path, trees, renameSets);
      }
    }
  }

  async #visits(folder: string, trees: Trio<ObjectId | null>): Promise<readonly Visit[]> {
    const ids = [...new Set(trees)];
    const read = new Map(await Promise.all(ids.map(async (id) => [id, await this.#entriesOf(id)] as const)));
    const folders = trees.map((id) => read.get(id) ?? []) as Trio<readonly TreeEntry[]>;
    return inWalkOrder(folders).map((entries) => {
      const { name } = firstOf(entries);
      const path = folder === '' ? name : `${folder}/${name}`;
      return {
        folder,
        path,
        entries,
        files: setWhere(entries, (entry) => entry !== null && entry.mode !== '040000'),
        folders: setWhere(entries, (entry) => entry?.mode === '040000'),
        matches: matchesOf(entries),
        renameSets: 0,
      };
    });
  }

  async #entriesOf(id: ObjectId | null): Promise<readonly TreeEntry[]> {
    return id === null ? [] : this.#reader.readTree(id);
  }

  async #visit(visit: Visit): Promise<void> {
    const { path, entries, files, folders, matches } = visit;
    const settled = settledEntry(visit);
    if (settled !== undefined) {
      this.paths.set(path, { ...mergedPath(visit), isResolved: true, result: settled });
      return;
    }
    const isRemovedFolder = folders === (IN_BASE | IN_OURS) || folders === (IN_BASE | IN_THEIRS);
    const renameSets =
      visit.renameSets !== EVERYWHERE && isRemovedFolder ? folders & ~IN_BASE : visit.renameSets;
    this.#noteRenames({ ...visit, renameSets });
    const merged = mergedPath(visit);
    this.paths.set(path, merged);
    if (folders === 0) return;
    const isNew = files === 0 && (folders === IN_OURS || folders === IN_THEIRS);
    if (isNew) merged.matches = EVERYWHERE - folders;
    const side = isNew ? sideOf(folders) : sideThatChanged(matches);
    const trees = entries.map((entry) =>
      entry?.mode === '040000' ? entry.id : null,
    ) as Trio<ObjectId | null>;
    if (renameSets !== EVERYWHERE && side !== null && this.#mayDefer[side]) {
      this.#deferred[side].push({ path, trees, renameSets });
      return;
    }
    merged.matches &= files;
    await this.folder(path, trees, renameSets);
  }

  #noteRenames(visit: Visit): void {
    const { folder, path, files, folders, renameSets, entries, matches } = visit;
    this.#noteRemovedFolder(path, folders, renameSets);
    if (renameSets === EVERYWHERE && (files === IN_OURS || files === IN_THEIRS))
      this.changes[otherSide(sideOf(files))].removedFolders.set(folder, 'self');
    if (files === 0 || files === EVERYWHERE) return;
    const base = leafOf(entries[0]);
    for (const side of SIDES) {
      const changes = this.changes[side];
      const own = leafOf(entries[side]);
      if (base && !own) {
        changes.gone.push({ path, leaf: base });
        const isContentRelevant = (matches & files) === 0;
        if (isContentRelevant || renameSets === EVERYWHERE)
          changes.relevantSources.set(path, isContentRelevant ? 'content' : 'location');
      }
      if (!base && own) changes.added.push({ path, leaf: own });
    }
  }

  #noteRemovedFolder(path: string, folders: TreeSet, renameSets: TreeSet): void {
    if ((folders & IN_BASE) === 0 || folders === EVERYWHERE) return;
    const relevance = renameSets === EVERYWHERE ? 'ancestor' : 'none';
    for (const side of SIDES)
      if ((folders & treeSet(side)) === 0) this.changes[side].removedFolders.set(path, relevance);
  }
}

function firstOf(entries: Trio<TreeEntry | null>): TreeEntry {
  return (entries[0] ?? entries[1] ?? entries[2]) as TreeEntry;
}

function setWhere(entries: Trio<TreeEntry | null>, test: (entry: TreeEntry | null) => boolean): TreeSet {
  return entries.reduce((set, entry, tree) => set | (test(entry) ? treeSet(tree as 0 | 1 | 2) : 0), 0);
}

function isSame(a: TreeEntry | null, b: TreeEntry | null): boolean {
  return a !== null && b !== null && a.mode === b.mode && a.id === b.id;
}

function matchesOf([base, ours, theirs]: Trio<TreeEntry | null>): TreeSet {
  if (isSame(base, ours)) return isSame(base, theirs) ? EVERYWHERE : IN_BASE | IN_OURS;
  if (isSame(base, theirs)) return IN_BASE | IN_THEIRS;
  return isSame(ours, theirs) ? IN_BOTH_SIDES : 0;
}

/** What stands there in the end where no rename can change that; `undefined` when it is too early to tell. */
function settledEntry({ entries, files, matches }: Visit): TreeEntry | undefined {
  if (matches === EVERYWHERE) return firstOf(entries);
  if (files !== EVERYWHERE || matches === 0) return undefined;
  return (matches === (IN_BASE | IN_OURS) ? entries[THEIRS] : entries[OURS]) as TreeEntry;
}

function sideOf(set: TreeSet): Side {
  return set === IN_OURS ? OURS : THEIRS;
}

function sideThatChanged(matches: TreeSet): Side | null {
  if (matches === (IN_BASE | IN_OURS)) return THEIRS;
  return matches === (IN_BASE | IN_THEIRS) ? OURS : null;
}

function mergedPath({ path, entries, files, folders, matches }: Visit): MergedPath {
  return {
    entries,
    stages: entries.map(leafOf) as MergedPath['stages'],
    names: [path, path, path],
    files,
    folders,
    matches,
    isFileAndFolder: files !== 0 && folders !== 0,
    pathConflict: null,
    isResolved: false,
    result: null,
  };
}

function takeWhole(merged: MergedPath, side: Side): void {
  merged.isResolved = true;
  merged.result = merged.entries[side];
  merged.matches = 0;
}

/** A directory that a rename leads to and that no tree had. */
export function newFolder(path: string, folders: TreeSet): MergedPath {
  const none: Trio<null> = [null, null, null];
  const visit = { folder: parentOf(path), path, entries: none, files: 0, folders, matches: 0, renameSets: 0 };
  return mergedPath(visit);
}
