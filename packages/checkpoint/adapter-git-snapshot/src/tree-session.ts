import { realpathSync } from 'node:fs';
import { sha256Hex } from '@cleveragents/shared-kernel';
import type { ObjectId } from '@cleveragents/git-domain';
import type { ObjectDatabase } from './objects/object-database.ts';
import { readSnapshot } from './objects/snapshot-objects.ts';
import { orNullIfDamaged } from './objects/store.errors.ts';
import type { StoreFolder } from './objects/store-folder.ts';
import { StatCache } from './scan/stat-cache.ts';
import { type KnownFile, TreeModel } from './scan/tree-model.ts';

/** What this process knows of one tree, and how it finds out that another process knows more. Used under the store's lock. */
export class TreeSession {
  readonly key: string;
  readonly #folder: StoreFolder;
  readonly #objects: ObjectDatabase;
  readonly #cache: StatCache;
  #model: TreeModel | null = null;
  #commit: ObjectId | null = null;

  constructor(folder: StoreFolder, objects: ObjectDatabase, root: string) {
    this.#folder = folder;
    this.#objects = objects;
    this.key = sha256Hex(realpathSync(root)).slice(0, 32);
    this.#cache = new StatCache(folder.cachePath(this.key));
  }

  /** As of the last capture of any process; empty when there was none. `isKnown`: there was one. */
  open(): { readonly model: TreeModel; readonly isKnown: boolean } {
    const commit = this.#folder.readRef('caches', this.key);
    if (commit === null) this.#model = null;
    else if (this.#model === null || commit !== this.#commit || !this.#cache.isCurrent())
      this.#model = this.#load(commit);
    this.#commit = commit;
    const isKnown = this.#model !== null;
    this.#model ??= new TreeModel();
    return { model: this.#model, isKnown };
  }

  /** The ref comes first: a cache that lags behind it is not believed. */
  save(model: TreeModel, commit: ObjectId): void {
    this.#folder.writeRef('caches', this.key, commit);
    this.#cache.save(model, commit);
    this.#model = model;
    this.#commit = commit;
  }

  /** Makes the next capture look at these paths, whoever takes it and whatever it is told. */
  expectChanges(paths: readonly string[]): void {
    const { model, isKnown } = this.open();
    if (!isKnown || this.#commit === null) return;
    model.markStale(paths);
    this.#cache.save(model, this.#commit);
  }

  /** What the last capture of any process found at a path, if it was a file or a link. */
  lastSeen(path: string): KnownFile | undefined {
    return this.#model?.fileAt(path);
  }

  /** After a failure: nothing that the model says may be relied on. */
  forget(): void {
    this.#model = null;
    this.#commit = null;
  }

  /** `null` also where its snapshot cannot be read: then everything is looked at again. */
  #load(commit: ObjectId): TreeModel | null {
    const model = this.#cache.load(commit);
    if (model === null) return null;
    const last = orNullIfDamaged(() => readSnapshot(this.#objects, commit));
    for (const { path, reason } of last?.uncovered ?? []) model.uncovered.set(path, reason);
    return last === null ? null : model;
  }
}
