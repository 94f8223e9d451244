import type { ObjectId } from '@cleveragents/git-domain';
import type { ObjectDatabase } from './object-database.ts';
import { readSnapshot, treeOfCommit } from './snapshot-objects.ts';
import { orNullIfDamaged } from './store.errors.ts';
import { referencesOf } from './tree-codec.ts';

/** Opens what leads on, and asks for the rest whether it is there: contents are not read, so that a large store takes seconds. */
export class SnapshotDamage {
  readonly #objects: ObjectDatabase;
  /** Of whole trees, by id: snapshots share most of theirs. */
  readonly #missingBelow = new Map<ObjectId, readonly ObjectId[]>();

  constructor(objects: ObjectDatabase) {
    this.#objects = objects;
  }

  /** Objects that the snapshot needs and that are missing, empty or not readable; with a tree goes what lies below it. */
  of(commit: ObjectId): readonly ObjectId[] {
    const tree = orNullIfDamaged(() => treeOfCommit(this.#objects, commit));
    if (tree === null) return [commit];
    const missing = this.#below(tree);
    // Whoever restores it asks for more than the objects: what the snapshot says of itself must be readable, too.
    return missing.length > 0 || orNullIfDamaged(() => readSnapshot(this.#objects, commit)) !== null
      ? missing
      : [commit];
  }

  #below(tree: ObjectId): readonly ObjectId[] {
    const known = this.#missingBelow.get(tree);
    if (known !== undefined) return known;
    const references = orNullIfDamaged(() => referencesOf(this.#objects.read(tree, 'tree')));
    const missing =
      references === null
        ? [tree]
        : [
            ...references.blobs.filter((blob) => !this.#objects.isHeld(blob)),
            ...references.trees.flatMap((child) => this.#below(child)),
          ];
    this.#missingBelow.set(tree, missing);
    return missing;
  }
}
