import {
  chmodSync,
  createWriteStream,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
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
import { parseObjectId } from '@cleveragents/git-domain';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { type Durability, putInPlace, writeNewFile } from '../objects/durable-file.ts';
import type { ObjectDatabase } from '../objects/object-database.ts';
import { entryAt, entryOnDisk } from './disk-entry.ts';
import { PinnedPaths } from './pinned-paths.ts';
import { RestoreJournal } from './restore-journal.ts';
import { settleRestore } from './settle-restore.ts';

const OWNER_MAY_CHANGE = 0o300;

/**
 * Carries out the steps of a restore: check all, stage all, then exchange under a journal, then check again. Every path is reached
 * through its pinned parent; what is replaced is moved away first and looked at again, so that a save in that very instant is
 * not lost.
 */
export class RestoreRun {
  readonly #root: string;
  /** Sorted by path: a parent before what lies in it. */
  readonly #steps: readonly SnapshotDifference[];
  readonly #objects: ObjectDatabase;
  readonly #durability: Durability;
  readonly #journal: RestoreJournal;
  readonly #paths: PinnedPaths;

  constructor(
    root: string,
    steps: readonly SnapshotDifference[],
    { objects, durability }: { readonly objects: ObjectDatabase; readonly durability: Durability },
  ) {
    this.#root = root;
    this.#steps = steps.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    this.#objects = objects;
    this.#durability = durability;
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
      const entry = entryOnDisk(this.#paths, path);
      if (entry === 'other' || !isSameEntry(entry, present)) throw moved(path);
      if (present?.kind !== 'directory' || wanted?.kind === 'directory') continue;
      const stranger = readdirSync(this.#paths.directory(path).address).find(
        (name) => !leaving.has(`${path}/${name}`),
      );
      if (stranger !== undefined) throw moved(`${path}/${stranger}`);
    }
  }

  async #stage(): Promise<void> {
    for (const [at, { wanted }] of this.#steps.entries()) {
      const staged = this.#journal.newPath(at);
      if (wanted?.kind === 'link')
        symlinkSync(this.#objects.read(parseObjectId(wanted.contentId), 'blob'), staged);
      else if (wanted?.kind === 'file') await this.#stageFile(wanted, staged);
    }
  }

  async #stageFile({ contentId, mode }: SnapshotEntry & { kind: 'file' }, staged: string): Promise<void> {
    const id = parseObjectId(contentId);
    const stream = this.#objects.loose.stream(id);
    if (stream === null) writeNewFile(staged, [this.#objects.read(id, 'blob')], this.#durability, 0o600);
    else await pipeline(stream, createWriteStream(staged, { flags: 'wx', mode: 0o600 }));
    chmodSync(staged, mode);
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
    for (const { path, wanted } of this.#steps) {
      const entry = entryOnDisk(this.#paths, path);
      if (entry === 'other' || !isSameEntry(withModeOf(entry, wanted), wanted)) throw moved(path);
    }
  }
}

function withModeOf(entry: SnapshotEntry | null, wanted: SnapshotEntry | null): SnapshotEntry | null {
  return entry?.kind === 'directory' && wanted?.kind === 'directory' ? wanted : entry;
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
