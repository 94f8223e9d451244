import { lstatSync } from 'node:fs';
import {
  CheckpointError,
  notRestorable,
  type RestorePlan,
  type SnapshotDifference,
  type Uncovered,
} from '@cleveragents/checkpoint-domain';
import type {
  AbandonedSnapshot,
  CapturedSnapshot,
  CaptureOptions,
  SnapshotStore,
} from '@cleveragents/checkpoint-ports';
import {
  type Durability,
  SystemClock,
  UlidGenerator,
  withDirectoryLock,
} from '@cleveragents/shared-adapter-fs';
import type { ObjectId } from '@cleveragents/git-domain';
import type { Clock, IdGenerator, RelativePath } from '@cleveragents/shared-kernel';
import { captureTree } from './capture-tree.ts';
import { Borrowing } from './objects/borrowing.ts';
import { ExclusiveBytes } from './objects/exclusive-bytes.ts';
import { ObjectDatabase } from './objects/object-database.ts';
import { diffSnapshots } from './objects/snapshot-diff.ts';
import {
  memberAt,
  putSnapshot,
  readSnapshot,
  sha256OfBlob,
  type SnapshotObjects,
} from './objects/snapshot-objects.ts';
import { orNullIfDamaged } from './objects/store.errors.ts';
import { isDirectory, StoreFolder } from './objects/store-folder.ts';
import { Unclaimed } from './objects/unclaimed.ts';
import { markLiving, mergeSmallPacks, sweep } from './objects/sweep.ts';
import { RestoreRun } from './restore/restore-run.ts';
import { settleRestore } from './restore/settle-restore.ts';
import { StoreInspection } from './store-inspection.ts';
import { TreeSession } from './tree-session.ts';

export interface GitSnapshotStoreOptions {
  /** Absolute path of the store's own folder, a bare repository; made by the first capture. `<path>.lock` lies beside it. */
  readonly path: string;
  /** Larger files are not held, but named. Default 100 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** `power-cut` (default): a captured snapshot survives one. `process`: it survives the death of the process. */
  readonly durability?: Durability | undefined;
  /** How long to wait for other processes. Default 60,000. */
  readonly lockTimeoutMs?: number | undefined;
  readonly ids?: IdGenerator | undefined;
  readonly clock?: Clock | undefined;
}

const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** A sweep looks at every tree once: worth it when this part of the store is garbage, and no less than that. */
const GARBAGE_PART = 1 / 20;
const LEAST_GARBAGE_BYTES = 256 * 1024;

/**
 * Snapshots as trees and commits in a private bare repository, which no one else's gc ever reaches. Bytes are those on disk:
 * no filter, no line ending is ever applied. One process at a time captures, restores or sweeps.
 */
export class GitSnapshotStore implements SnapshotStore {
  /** For `doctor` and the like: reads only, and waits for nobody. */
  readonly inspection: StoreInspection;
  readonly #folder: StoreFolder;
  readonly #objects: ObjectDatabase;
  readonly #borrowing: Borrowing;
  readonly #exclusive: ExclusiveBytes;
  readonly #unclaimed: Unclaimed;
  readonly #sessions = new Map<string, TreeSession>();
  readonly #durability: Durability;
  readonly #maxFileBytes: number;
  readonly #lockTimeoutMs: number;
  readonly #ids: IdGenerator;
  readonly #clock: Clock;
  #generation = 0;

  constructor(options: GitSnapshotStoreOptions) {
    this.#durability = options.durability ?? 'power-cut';
    this.#folder = new StoreFolder(options.path, this.#durability);
    this.#borrowing = new Borrowing(this.#folder.objectsPath, this.#durability);
    this.#objects = new ObjectDatabase(this.#folder.objectsPath, this.#durability, () =>
      this.#borrowing.lender(),
    );
    this.#unclaimed = new Unclaimed(options.path);
    this.#exclusive = new ExclusiveBytes(this.#folder, this.#objects);
    this.inspection = new StoreInspection({
      folder: this.#folder,
      objects: this.#objects,
      borrowing: this.#borrowing,
      exclusive: this.#exclusive,
      unclaimed: this.#unclaimed,
    });
    this.#maxFileBytes = options.maxFileBytes ?? MAX_FILE_BYTES;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? 60_000;
    this.#clock = options.clock ?? new SystemClock();
    this.#ids = options.ids ?? new UlidGenerator(this.#clock);
  }

  async hasRoot(root: string): Promise<boolean> {
    return isDirectory(root);
  }

  async capture(root: string, options: CaptureOptions = {}): Promise<CapturedSnapshot> {
    requireRoot(root);
    return this.#locked(options.signal, async () => {
      await settleRestore(root);
      const held = (options.alsoCover ?? []).map((ref) => this.#snapshot(ref));
      const session = this.#session(root);
      try {
        return await this.#capture(root, options, session, held);
      } catch (error) {
        session.forget();
        this.#objects.discardPending();
        throw error;
      } finally {
        this.#objects.borrowed = null;
      }
    });
  }

  async uncovered(ref: string): Promise<readonly Uncovered[]> {
    return this.#snapshot(ref).uncovered;
  }

  async diff(present: string | null, wanted: string): Promise<readonly SnapshotDifference[]> {
    const from = present === null ? null : this.#snapshot(present).files;
    return diffSnapshots(this.#objects, from, this.#snapshot(wanted).files);
  }

  async sha256(
    ref: string,
    paths: readonly RelativePath[],
  ): Promise<ReadonlyMap<RelativePath, string | null>> {
    const { files } = this.#snapshot(ref);
    const hashes = new Map<RelativePath, string | null>();
    for (const path of paths) {
      const member = memberAt(this.#objects, files, path);
      const isHeld = member !== null && member.kind !== 'directory';
      hashes.set(path, isHeld ? await sha256OfBlob(this.#objects, member.id) : null);
    }
    return hashes;
  }

  async restore(root: string, plan: RestorePlan): Promise<void> {
    requireRoot(root);
    await this.#locked(undefined, async () => {
      await settleRestore(root);
      const session = this.#session(root);
      session.expectChanges(plan.steps.map(({ path }) => path));
      await new RestoreRun(root, plan.steps, {
        objects: this.#objects,
        durability: this.#durability,
        lastSeen: (path) => session.lastSeen(path),
      }).run();
    });
  }

  async settle(root: string): Promise<void> {
    if (isDirectory(root) && isDirectory(this.#folder.path))
      await this.#locked(undefined, () => settleRestore(root));
  }

  async claim(ref: string): Promise<void> {
    this.#unclaimed.forget(ref);
  }

  async abandoned(): Promise<readonly AbandonedSnapshot[]> {
    return this.#unclaimed.abandoned();
  }

  /** Removes the refs that `inspection.leftKeeps` names. */
  async dropLeftKeeps(): Promise<void> {
    const letGo = (): void => {
      const living = orNullIfDamaged(() => this.#exclusive.treeKeys());
      if (living !== null) this.#borrowing.letGo(living);
    };
    await withDirectoryLock(this.#folder.lockPath, letGo, { timeoutMs: this.#lockTimeoutMs });
  }

  async release(
    refs: readonly string[],
    { reclaim = 'when-worthwhile' }: { readonly reclaim?: 'now' | 'when-worthwhile' } = {},
  ): Promise<number> {
    if (!isDirectory(this.#folder.path)) return 0;
    return this.#locked(undefined, async () => {
      const state = this.#folder.readState();
      const garbageBytes = state.garbageBytes + this.#letGo(refs);
      if (garbageBytes === 0) return 0;
      if (reclaim === 'now') return this.#sweep({ isThorough: true });
      // What the store was is enough to say no; to say yes it is looked at again.
      const isEnough = isWorthwhile(garbageBytes, state.storedBytes);
      const storedBytes = isEnough ? this.#folder.objectBytes() : state.storedBytes;
      if (isEnough && isWorthwhile(garbageBytes, storedBytes)) return this.#sweep({ isThorough: false });
      this.#folder.writeState({ ...state, garbageBytes, storedBytes });
      return 0;
    });
  }

  /** Returns about how many bytes nobody needs now. */
  #letGo(refs: readonly string[]): number {
    let bytes = 0;
    for (const ref of refs) {
      const exclusive = this.#exclusive.of(ref);
      if (this.#folder.deleteRef('snapshots', ref)) bytes += exclusive;
      this.#unclaimed.forget(ref);
    }
    return bytes;
  }

  async #capture(
    root: string,
    options: CaptureOptions,
    session: TreeSession,
    held: readonly SnapshotObjects[],
  ): Promise<CapturedSnapshot> {
    if (!this.#borrowing.isKept(session.key)) {
      this.#folder.dropCache(session.key);
      this.#borrowing.forget(session.key);
    }
    const { model, isKnown } = session.open();
    this.#objects.borrowed = isKnown ? null : this.#borrowing.begin(root, session.key);
    const takenAt = this.#clock.now();
    await captureTree(
      { root, model, objects: this.#objects, maxFileBytes: this.#maxFileBytes, held },
      { ...options, changedPaths: isKnown ? options.changedPaths : undefined },
    );
    const { fileCount } = model;
    const uncovered = model.uncoveredList();
    const ref = this.#ids.next();
    const files = model.putTrees(this.#objects);
    const commit = putSnapshot(
      this.#objects,
      { files, fileCount, uncovered },
      { name: ref, tree: session.key, takenAt },
    );
    const addedBytes = this.#objects.flush();
    mergeSmallPacks(this.#objects);
    if (options.claimant !== undefined) this.#unclaimed.note(ref, options.claimant);
    this.#folder.writeRef('snapshots', ref, commit);
    session.save(model, commit);
    return { ref, fileCount, uncovered, addedBytes };
  }

  /** The last state of a tree is kept while any snapshot of it is: its cache leads to those objects. */
  async #sweep({ isThorough }: { readonly isThorough: boolean }): Promise<number> {
    this.#objects.forget();
    const living = orNullIfDamaged(() => this.#living());
    // What a damaged snapshot needs cannot be told, so everything stays until it is let go of.
    if (living === null) return 0;
    const { livingTrees, objects: livingObjects } = living;
    for (const name of this.#folder.listRefNames('caches'))
      if (!livingTrees.has(name)) this.#folder.dropCache(name);
    const { generation } = this.#folder.readState();
    this.#generation = generation + 1;
    // Before anything goes: whoever comes after a crash must know that it may have gone.
    this.#folder.writeState({ generation: this.#generation, garbageBytes: 0, storedBytes: 0 });
    try {
      const { objectsPath } = this.#folder;
      const freed = await sweep(this.#objects, livingObjects, { objectsPath, isThorough });
      this.#borrowing.letGo(livingTrees);
      await this.#folder.sweepTemporaryFiles();
      const storedBytes = this.#folder.objectBytes();
      this.#folder.writeState({ generation: this.#generation, garbageBytes: 0, storedBytes });
      return freed;
    } finally {
      this.#objects.forget();
    }
  }

  #living(): { readonly livingTrees: ReadonlySet<string>; readonly objects: ReadonlySet<ObjectId> } {
    const livingTrees = this.#exclusive.treeKeys();
    const caches = this.#folder.listRefs('caches').filter(({ name }) => livingTrees.has(name));
    const commits = [...this.#folder.listRefs('snapshots'), ...caches].map(({ id }) => id);
    return { livingTrees, objects: markLiving(this.#objects, commits) };
  }

  #session(root: string): TreeSession {
    const session = this.#sessions.get(root) ?? new TreeSession(this.#folder, this.#objects, root);
    this.#sessions.set(root, session);
    return session;
  }

  #snapshot(ref: string): SnapshotObjects {
    const commit = this.#folder.readRef('snapshots', ref);
    if (commit === null) throw notRestorable(ref);
    return readSnapshot(this.#objects, commit);
  }

  async #locked<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    return withDirectoryLock(
      this.#folder.lockPath,
      async () => {
        this.#folder.create();
        const { generation } = this.#folder.readState();
        if (generation !== this.#generation) this.#objects.forget();
        this.#generation = generation;
        this.#objects.beginWriting();
        return work();
      },
      { timeoutMs: this.#lockTimeoutMs, signal },
    );
  }
}

function isWorthwhile(garbageBytes: number, storedBytes: number): boolean {
  return garbageBytes > Math.max(LEAST_GARBAGE_BYTES, storedBytes * GARBAGE_PART);
}

/** A link to a directory is no root: it could be led elsewhere meanwhile. */
function requireRoot(root: string): void {
  if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new CheckpointError('ROLLBACK_SANDBOX_MISSING', `sandbox is missing: ${root} is no directory`, {
    hint: 'Create the sandbox, or restore it from its last checkpoint.',
    data: { root },
  });
}
