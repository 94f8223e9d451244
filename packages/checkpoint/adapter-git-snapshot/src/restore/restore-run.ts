import { createHash } from 'node:crypto';
import {
  chmodSync,
  createWriteStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { pipeline } from 'node:stream/promises';
import {
  ancestorsOf,
  CheckpointError,
  isSameEntry,
  type SnapshotDifference,
  type SnapshotEntry,
} from '@cleveragents/checkpoint-domain';
import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import { type Durability, putInPlace, writeNewFile } from '@cleveragents/shared-adapter-fs';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { objectHeader, objectIdOf } from '../objects/git-object.ts';
import type { ObjectDatabase } from '../objects/object-database.ts';
import { storeCorrupt } from '../objects/store.errors.ts';
import { isAsSeen, modeOf } from '../scan/scan-place.ts';
import type { KnownFile } from '../scan/tree-model.ts';
import { entryAt, entryOnDisk } from './disk-entry.ts';
import { PinnedPaths } from './pinned-paths.ts';
import { RestoreJournal } from './restore-journal.ts';
import { settleRestore } from './settle-restore.ts';

const OWNER_MAY_CHANGE = 0o300;

export interface RestoreMeans {
  readonly objects: ObjectDatabase;
  readonly durability: Durability;
  /** What the last capture saw at a path. */
  readonly lastSeen: (path: string) => KnownFile | undefined;
}

/**
 * Carries out the steps of a restore: look at all, stage all, then exchange under a journal, then look again. Every path is
 * reached through its pinned parent. What is staged was hashed on its way; what is replaced is moved away first and hashed where
 * nobody finds it any more, so that a save in that very instant is not lost.
 */
export class RestoreRun {
  readonly #root: string;
  /** Sorted by path: a parent before what lies in it. */
  readonly #steps: readonly SnapshotDifference[];
  readonly #objects: ObjectDatabase;
  readonly #durability: Durability;
  readonly #lastSeen: RestoreMeans['lastSeen'];
  readonly #journal: RestoreJournal;
  readonly #paths: PinnedPaths;
  /** By step. */
  readonly #staged = new Map<number, Stats>();

  constructor(root: string, steps: readonly SnapshotDifference[], means: RestoreMeans) {
    const { objects, durability, lastSeen } = means;
    this.#root = root;
    this.#steps = steps.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    this.#objects = objects;
    this.#durability = durability;
    this.#lastSeen = lastSeen;
    this.#journal = new RestoreJournal(root);
    this.#paths = new PinnedPaths(root);
  }

  async run(): Promise<void> {
    if (this.#steps.length === 0) return this.#paths.close();
    try {
      this.#requireUnmoved();
      this.#journal.create();
      await this.#stage();
      const loosened = this.#lockedParents();
      this.#journal.begin({ version: 1, steps: this.#steps, loosened }, this.#durability);
      this.#exchange(loosened);
      this.#verify();
      this.#setModes(loosened);
      this.#journal.close();
    } catch (error) {
      this.#paths.close();
      await settleRestore(this.#root);
      throw failure(error);
    }
    this.#paths.close();
    await this.#journal.remove();
  }

  #requireUnmoved(): void {
    const leaving = new Set<string>(this.#steps.map(({ path }) => path));
    for (const { path, present, wanted } of this.#steps) {
      if (!this.#isStill(path, present)) throw moved(path);
      if (present?.kind !== 'directory' || wanted?.kind === 'directory') continue;
      const stranger = readdirSync(this.#paths.directory(path).address).find(
        (name) => !leaving.has(`${path}/${name}`),
      );
      if (stranger !== undefined) throw moved(`${path}/${stranger}`);
    }
  }

  /** As good as its times tell; the hash that decides is taken once it is moved away. */
  #isStill(path: string, present: SnapshotEntry | null): boolean {
    const seen = this.#lastSeen(path);
    if (present?.kind === 'file' && seen?.blob === present.contentId) {
      const status = this.#statusOf(path);
      if (status !== undefined && isAsSeen(seen, status) && modeOf(status) === present.mode) return true;
    }
    const entry = entryOnDisk(this.#paths, path);
    return entry !== 'other' && isSameEntry(entry, present);
  }

  #statusOf(path: string): Stats | undefined {
    try {
      return lstatSync(this.#paths.addressOf(path), { throwIfNoEntry: false });
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
      throw error;
    }
  }

  async #stage(): Promise<void> {
    for (const [at, { wanted }] of this.#steps.entries()) {
      if (wanted === null || wanted.kind === 'directory') continue;
      const path = this.#journal.newPath(at);
      if (wanted.kind === 'link') symlinkSync(this.#bytesOf(parseObjectId(wanted.contentId)), path);
      else await this.#stageFile(wanted, path);
      this.#staged.set(at, lstatSync(path));
    }
  }

  async #stageFile({ contentId, mode }: SnapshotEntry & { kind: 'file' }, path: string): Promise<void> {
    const id = parseObjectId(contentId);
    const content = this.#objects.contentOf(id);
    if (Buffer.isBuffer(content)) writeNewFile(path, [verified(content, id)], this.#durability, 0o600);
    else await this.#stageStream(content, id, path);
    chmodSync(path, mode);
  }

  async #stageStream(content: AsyncIterable<Uint8Array>, id: ObjectId, path: string): Promise<void> {
    const size = this.#objects.loose.contentSize(id) ?? 0;
    const hash = createHash('sha1').update(objectHeader('blob', size));
    const flush = this.#durability === 'power-cut';
    await pipeline(
      async function* () {
        for await (const part of content) {
          hash.update(part);
          yield part;
        }
        requireHash(hash.digest('hex'), id);
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600, flush }),
    );
  }

  #bytesOf(id: ObjectId): Buffer {
    return verified(this.#objects.read(id, 'blob'), id);
  }

  /** Directories in which something changes and which their owner may not change, with their modes. */
  #lockedParents(): readonly (readonly [path: string, mode: number])[] {
    const parents = new Set(this.#steps.flatMap(({ path }) => ancestorsOf(path).at(-1) ?? []));
    return [...parents].sort().flatMap((path) => {
      const entry = entryOnDisk(this.#paths, path);
      const isLocked =
        entry !== null &&
        entry !== 'other' &&
        entry.kind === 'directory' &&
        (entry.mode & OWNER_MAY_CHANGE) !== OWNER_MAY_CHANGE;
      return isLocked ? [[path, entry.mode] as const] : [];
    });
  }

  #exchange(loosened: readonly (readonly [path: string, mode: number])[]): void {
    for (const [path, mode] of loosened) chmodSync(this.#paths.directory(path).self, mode | 0o700);
    for (const [at, step] of [...this.#steps.entries()].reverse()) this.#takeAway(step, at);
    for (const [at, step] of this.#steps.entries()) this.#put(step, at);
  }

  /** Last, and deepest first: behind a directory that nobody may enter nothing can be looked at any more. */
  #setModes(loosened: readonly (readonly [path: string, mode: number])[]): void {
    const wanted = new Map(
      this.#steps.flatMap(({ path, wanted: entry }) =>
        entry?.kind === 'directory' ? [[path as string, entry.mode] as const] : [],
      ),
    );
    const stillThere = loosened.filter(([path]) => entryOnDisk(this.#paths, path) !== null);
    const modes = new Map([...stillThere, ...wanted]);
    for (const [path, mode] of [...modes].sort(([a], [b]) => (a < b ? 1 : -1)))
      chmodSync(this.#paths.directory(path).self, mode);
  }

  #takeAway({ path, present, wanted }: SnapshotDifference, at: number): void {
    if (present === null) return;
    if (present.kind === 'directory') {
      if (wanted?.kind === 'directory') return;
      rmdirSync(this.#paths.addressOf(path));
      this.#paths.forget(path);
      return;
    }
    renameSync(this.#paths.addressOf(path), this.#journal.oldPath(at));
    const taken = entryAt(this.#journal.oldPath(at));
    if (taken === 'other' || !isSameEntry(taken, present)) throw moved(path);
  }

  #put({ path, present, wanted }: SnapshotDifference, at: number): void {
    if (wanted === null) return;
    const address = this.#paths.addressOf(path);
    if (wanted.kind !== 'directory') putInPlace(this.#journal.newPath(at), address);
    else if (present?.kind !== 'directory') mkdirSync(address, { mode: 0o700 });
  }

  #verify(): void {
    for (const [at, { path, wanted }] of this.#steps.entries())
      if (!isThere(this.#statusOf(path), wanted, this.#staged.get(at))) throw moved(path);
  }
}

/** Directories get their modes later. */
function isThere(
  status: Stats | undefined,
  wanted: SnapshotEntry | null,
  staged: Stats | undefined,
): boolean {
  if (wanted === null || status === undefined) return wanted === null && status === undefined;
  if (wanted.kind === 'directory') return status.isDirectory();
  return staged !== undefined && isUntouched(staged, status);
}

/** The very file that was staged, and not written since. */
function isUntouched(staged: Stats, status: Stats): boolean {
  return (
    status.ino === staged.ino &&
    status.mode === staged.mode &&
    status.size === staged.size &&
    status.mtimeMs === staged.mtimeMs
  );
}

function verified(bytes: Buffer, id: ObjectId): Buffer {
  requireHash(objectIdOf('blob', bytes), id);
  return bytes;
}

function requireHash(hash: string, id: ObjectId): void {
  if (hash !== id) throw storeCorrupt(`object ${id} holds other bytes`, { data: { id } });
}

function moved(path: string): CheckpointError {
  return new CheckpointError('ROLLBACK_TREE_MOVED', `${JSON.stringify(path)} changed in between`, {
    hint: 'Something writes in the sandbox; nothing was changed. Stop it, then roll back again.',
    data: { path },
  });
}

/** What shows that somebody else writes in the tree is a refusal; everything else is a failure. */
function failure(error: unknown): unknown {
  if (error instanceof CheckpointError) return error;
  if (hasCode(error, 'EEXIST', 'ENOTEMPTY', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'))
    return new CheckpointError('ROLLBACK_TREE_MOVED', `the sandbox changed in between: ${messageOf(error)}`, {
      hint: 'Something writes in the sandbox; nothing was changed. Stop it, then roll back again.',
      cause: error,
    });
  return new CheckpointError(
    'SNAPSHOT_RESTORE_FAILED',
    `the files could not be written: ${messageOf(error)}`,
    {
      hint: 'Nothing was changed. Make room, or see to the permissions, then roll back again.',
      cause: error,
    },
  );
}
