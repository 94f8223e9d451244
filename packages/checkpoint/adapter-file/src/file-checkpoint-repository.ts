import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  changedCheckpoint,
  type Checkpoint,
  type CheckpointChange,
  type CheckpointDraft,
  CheckpointError,
  CheckpointNotFoundError,
  checkpointToStored,
  prune,
  type RetentionPolicy,
} from '@cleveragents/checkpoint-domain';
import type { AppendedCheckpoint, CheckpointRepository } from '@cleveragents/checkpoint-ports';
import { withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import { hasCode, isUlid, planKey, type PlanId } from '@cleveragents/shared-kernel';
import { type CorruptRecord, PlanFolder } from './plan-folder.ts';

export interface FileCheckpointRepositoryOptions {
  /** Absolute path of a folder of its own; made when the first checkpoint is recorded. */
  readonly directory: string;
  /** Told of each record that cannot be read whenever a list passes over it. */
  readonly report?: ((corrupt: CorruptRecord) => void) | undefined;
  /** How long to wait for other processes. Default 30,000. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Checkpoints as files, one JSON each, in a folder a plan; shared between processes by a lock a plan. A record that cannot be
 * read is passed over and reported; fields that we do not know stay in their files.
 */
export class FileCheckpointRepository implements CheckpointRepository {
  readonly #directory: string;
  readonly #report: (corrupt: CorruptRecord) => void;
  readonly #timeoutMs: number;
  readonly #folders = new Map<string, PlanFolder>();

  constructor({ directory, report, lockTimeoutMs }: FileCheckpointRepositoryOptions) {
    this.#directory = directory;
    this.#report = report ?? (() => undefined);
    this.#timeoutMs = lockTimeoutMs ?? 30_000;
  }

  async append(draft: CheckpointDraft, policy: RetentionPolicy): Promise<AppendedCheckpoint> {
    const { checkpointId } = draft;
    if (!isUlid(checkpointId)) throw new Error(`not a ULID: ${JSON.stringify(checkpointId)}`);
    return this.#locked(draft.planId, (folder) => {
      if (this.#folderHolding(checkpointId) !== undefined) throw alreadyExists(checkpointId);
      const present = folder.list(this.#report);
      const checkpoint: Checkpoint = { ...draft, sequence: folder.nextSequence(present) };
      mkdirSync(folder.path, { recursive: true, mode: 0o700 });
      folder.write(checkpointId, checkpointToStored(checkpoint), { exclusive: true });
      const { pruned } = prune([...present, checkpoint], policy);
      folder.removeAll(pruned);
      return { checkpoint, pruned };
    });
  }

  async get(checkpointId: string): Promise<Checkpoint> {
    return this.#recordIn(this.#folderHolding(checkpointId), checkpointId);
  }

  async listByPlan(planId: PlanId): Promise<readonly Checkpoint[]> {
    if (!isDirectory(this.#folder(planId).path)) return [];
    return this.#locked(planId, (folder) => folder.list(this.#report));
  }

  async update(checkpointId: string, change: CheckpointChange): Promise<Checkpoint> {
    return this.#lockedRecord(checkpointId, (folder, checkpoint) => {
      const changed = changedCheckpoint(checkpoint, change);
      const { pinned: _, ...kept } = folder.readStored(checkpointId) as { readonly pinned?: unknown };
      folder.write(checkpointId, { ...kept, ...changesOf(changed) }, { exclusive: false });
      return changed;
    });
  }

  async delete(checkpointId: string): Promise<Checkpoint> {
    return this.#lockedRecord(checkpointId, (folder, checkpoint) => {
      folder.remove(checkpoint, folder.list(this.#report));
      return checkpoint;
    });
  }

  async prune(planId: PlanId, policy: RetentionPolicy): Promise<readonly Checkpoint[]> {
    if (!isDirectory(this.#folder(planId).path)) return [];
    return this.#locked(planId, (folder) => {
      const { pruned } = prune(folder.list(this.#report), policy);
      folder.removeAll(pruned);
      return pruned;
    });
  }

  /** Every record of every plan that cannot be read, for `doctor` and the like. */
  async listCorrupt(): Promise<readonly CorruptRecord[]> {
    const corrupt: CorruptRecord[] = [];
    for (const folder of this.#allFolders()) folder.list((one) => corrupt.push(one));
    return corrupt;
  }

  /** Every checkpoint of every plan that can be read, without waiting for anybody. */
  async listAll(): Promise<readonly Checkpoint[]> {
    return this.#allFolders().flatMap((folder) => folder.list(this.#report));
  }

  #folder(planId: PlanId): PlanFolder {
    return this.#folderAt(join(this.#directory, planKey(planId)));
  }

  #folderAt(path: string): PlanFolder {
    const folder = this.#folders.get(path) ?? new PlanFolder(path);
    this.#folders.set(path, folder);
    return folder;
  }

  async #locked<Result>(planId: PlanId, work: (folder: PlanFolder) => Result): Promise<Result> {
    const folder = this.#folder(planId);
    return withDirectoryLock(`${folder.path}.lock`, () => work(folder), { timeoutMs: this.#timeoutMs });
  }

  /** The record may go while its lock is waited for: it is read again once the lock is held. */
  async #lockedRecord<Result>(
    checkpointId: string,
    work: (folder: PlanFolder, checkpoint: Checkpoint) => Result,
  ): Promise<Result> {
    const { planId } = await this.get(checkpointId);
    return this.#locked(planId, (folder) => work(folder, this.#recordIn(folder, checkpointId)));
  }

  #recordIn(folder: PlanFolder | undefined, checkpointId: string): Checkpoint {
    const record = folder?.find(checkpointId);
    if (record === undefined) throw new CheckpointNotFoundError(checkpointId);
    if ('checkpointId' in record) return record;
    throw new CheckpointNotFoundError(checkpointId, {
      hint: 'Its record is there but cannot be read; `cleveragents doctor` names such records.',
      data: { path: record.path, reason: record.reason },
    });
  }

  /** Ids of callers are opaque: only one that could name a record of ours ever becomes part of a path. */
  #folderHolding(checkpointId: string): PlanFolder | undefined {
    if (!isUlid(checkpointId)) return undefined;
    return this.#allFolders().find(
      (folder) => lstatSync(folder.recordPath(checkpointId), { throwIfNoEntry: false }) !== undefined,
    );
  }

  #allFolders(): readonly PlanFolder[] {
    return namesOfFolders(this.#directory).map((name) => this.#folderAt(join(this.#directory, name)));
  }
}

function changesOf(changed: Checkpoint): object {
  const { pinned, rollback } = checkpointToStored(changed);
  return {
    ...(pinned !== undefined && { pinned }),
    ...(rollback !== undefined && { rollback }),
  };
}

function namesOfFolders(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.includes('.'))
      .map(({ name }) => name);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function alreadyExists(checkpointId: string): CheckpointError {
  return new CheckpointError('CHECKPOINT_ALREADY_EXISTS', `checkpoint ${checkpointId} exists already`, {
    hint: 'Give every checkpoint an id of its own.',
    data: { checkpointId },
  });
}
