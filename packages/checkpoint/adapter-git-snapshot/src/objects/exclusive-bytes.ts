import type { ObjectId } from '@cleveragents/git-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import type { ObjectDatabase } from './object-database.ts';
import { diffSnapshots } from './snapshot-diff.ts';
import { readSnapshot, treeKeyOf } from './snapshot-objects.ts';
import type { StoreFolder } from './store-folder.ts';

/** Trees, commit and coverage of a snapshot, and what a file system adds to small files. */
const LEAST_BYTES = 4096;

/** Finds out, as good as neighbours tell, what the store would give back if snapshots went. */
export class ExclusiveBytes {
  readonly #folder: StoreFolder;
  readonly #objects: ObjectDatabase;
  readonly #keys = new Map<ObjectId, string>();

  constructor(folder: StoreFolder, objects: ObjectDatabase) {
    this.#folder = folder;
    this.#objects = objects;
  }

  /**
   * What only `name` holds. The snapshots of a tree taken just before and just after hold almost everything that an older or a
   * younger one does, so that a look at those two is enough for an estimate. Never 0.
   */
  of(name: string): number {
    const commit = this.#folder.readRef('snapshots', name);
    if (commit === null) return LEAST_BYTES;
    try {
      return this.#estimate(name, commit);
    } catch (error) {
      // It is an estimate, and what is damaged must not stay for ever because of it.
      if (hasCode(error, 'SNAPSHOT_STORE_CORRUPT')) return LEAST_BYTES;
      throw error;
    }
  }

  #estimate(name: string, commit: ObjectId): number {
    const [before, after] = this.#neighbours(name, this.#keyOf(commit));
    const added = this.#newIn(commit, before);
    const unshared = after === null ? added : this.#newIn(commit, after);
    let bytes = LEAST_BYTES;
    for (const id of added) if (unshared.has(id)) bytes += this.#objects.sizeOf(id);
    return bytes;
  }

  /** The trees that there are snapshots of. */
  treeKeys(): ReadonlySet<string> {
    return new Set(this.#folder.listRefs('snapshots').map(({ id }) => this.#keyOf(id)));
  }

  /** Names grow with time. */
  #neighbours(name: string, key: string): readonly [before: ObjectId | null, after: ObjectId | null] {
    const names = this.#folder.listRefNames('snapshots').toSorted();
    const ofTree = (one: string): ObjectId | null => {
      const commit = this.#folder.readRef('snapshots', one);
      return commit !== null && this.#keyOf(commit) === key ? commit : null;
    };
    const first = (candidates: readonly string[]): ObjectId | null => {
      for (const one of candidates) {
        const commit = ofTree(one);
        if (commit !== null) return commit;
      }
      return null;
    };
    return [first(names.filter((one) => one < name).toReversed()), first(names.filter((one) => one > name))];
  }

  #keyOf(commit: ObjectId): string {
    const key = this.#keys.get(commit) ?? treeKeyOf(this.#objects, commit);
    this.#keys.set(commit, key);
    return key;
  }

  /** Contents that `other` does not have at the same path. */
  #newIn(commit: ObjectId, other: ObjectId | null): ReadonlySet<ObjectId> {
    const from = other === null ? null : readSnapshot(this.#objects, other).files;
    const ids = new Set<ObjectId>();
    for (const { wanted } of diffSnapshots(this.#objects, from, readSnapshot(this.#objects, commit).files))
      if (wanted !== null && wanted.kind !== 'directory') ids.add(wanted.contentId as ObjectId);
    return ids;
  }
}
