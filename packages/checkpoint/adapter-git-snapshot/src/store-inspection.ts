import { inspectLock } from '@cleveragents/shared-adapter-fs';
import type { Borrowing } from './objects/borrowing.ts';
import type { ExclusiveBytes } from './objects/exclusive-bytes.ts';
import type { ObjectDatabase } from './objects/object-database.ts';
import { SnapshotDamage } from './objects/snapshot-damage.ts';
import { orNullIfDamaged } from './objects/store.errors.ts';
import type { StoreFolder } from './objects/store-folder.ts';
import type { Unclaimed } from './objects/unclaimed.ts';

/** A snapshot that cannot be restored as a whole. */
export interface DamagedSnapshot {
  readonly ref: string;
  /** Ids of objects; at least one. */
  readonly missing: readonly string[];
}

interface StoreParts {
  readonly folder: StoreFolder;
  readonly objects: ObjectDatabase;
  readonly borrowing: Borrowing;
  readonly exclusive: ExclusiveBytes;
  readonly unclaimed: Unclaimed;
}

/** What a store holds, and what is wrong with it, for who writes nothing and waits for nobody. */
export class StoreInspection {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  holds(ref: string): boolean {
    return this.#parts.folder.readRef('snapshots', ref) !== null;
  }

  /** All snapshots but those that somebody is still to claim, or died before. */
  settled(): readonly string[] {
    const refs = this.#parts.folder.listRefNames('snapshots');
    // read last: what is claimed meanwhile has its checkpoint by then
    const unclaimed = new Set(this.#parts.unclaimed.refs());
    return refs.filter((ref) => !unclaimed.has(ref));
  }

  /** What the objects take on disk now. Costs a look at every file of the store. */
  storedBytes(): number {
    return this.#parts.folder.objectBytes();
  }

  /** Settled snapshots that lack something. No contents are read: bytes that changed show when they are restored. */
  damaged(): readonly DamagedSnapshot[] {
    const { folder, objects } = this.#parts;
    const damage = new SnapshotDamage(objects);
    return this.settled().flatMap((ref) => {
      const commit = folder.readRef('snapshots', ref);
      const missing = commit === null ? [] : damage.of(commit);
      // A sweep may have come by since: then the ref went before what it led to.
      return missing.length > 0 && this.holds(ref) ? [{ ref, missing }] : [];
    });
  }

  /** Refs in the repository around the store that still keep what no snapshot needs; none while somebody is at work. */
  leftKeeps(): readonly string[] {
    const { exclusive, borrowing, folder } = this.#parts;
    // Looked at in this order: a first capture makes its ref under the lock, and lets it go once there is a snapshot.
    const kept = borrowing.kept();
    const holder = inspectLock(folder.lockPath);
    if (kept.length === 0 || (holder !== null && holder.state !== 'dead')) return [];
    const living = orNullIfDamaged(() => exclusive.treeKeys());
    return living === null ? [] : kept.filter(({ tree }) => !living.has(tree)).map(({ name }) => name);
  }
}
