import { existsSync, lstatSync, readdirSync, readFileSync, type Stats, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkpoint, checkpointFromStored } from '@cleveragents/checkpoint-domain';
import { createFile, replaceFile, syncFolder } from '@cleveragents/shared-adapter-fs';
import { hasCode, isUlid, messageOf } from '@cleveragents/shared-kernel';

/** A file that lies where a checkpoint's record should lie, and is none that we can read. */
export interface CorruptRecord {
  readonly path: string;
  readonly reason: string;
}

interface CachedRecord {
  readonly stamp: string;
  readonly record: Checkpoint | CorruptRecord;
}

const RECORD_SUFFIX = '.json';
/** Holds the greatest sequence that was ever deleted, so that none is given twice. */
const LAST_SEQUENCE = 'last-sequence';

const FILE_MODE = 0o600;

/**
 * The records of one plan: `<checkpoint id>.json` each. Whoever changes it holds the plan's lock. Records are so small that
 * waiting for each call of the system costs several times the call: all of them are synchronous.
 */
export class PlanFolder {
  readonly path: string;
  readonly #cache = new Map<string, CachedRecord>();

  constructor(path: string) {
    this.path = path;
  }

  recordPath(checkpointId: string): string {
    return join(this.path, checkpointId + RECORD_SUFFIX);
  }

  /** By sequence. Corrupt records are passed over and reported. */
  list(report: (corrupt: CorruptRecord) => void): readonly Checkpoint[] {
    const records: Checkpoint[] = [];
    for (const name of this.#recordNames()) {
      const record = this.#read(name);
      if (record === undefined) continue;
      if ('checkpointId' in record) records.push(record);
      else report(record);
    }
    return records.sort((a, b) => a.sequence - b.sequence);
  }

  /** `undefined`: no such record. A corrupt one is returned as what it is. */
  find(checkpointId: string): Checkpoint | CorruptRecord | undefined {
    return this.#read(checkpointId + RECORD_SUFFIX);
  }

  /** Greater than every sequence that the plan has had. */
  nextSequence(present: readonly Checkpoint[]): number {
    return Math.max(present.at(-1)?.sequence ?? 0, this.#lastDeleted()) + 1;
  }

  /** There to stay once it returns, also after a power cut. @throws the system's `EEXIST` when it is `exclusive`. */
  write(checkpointId: string, stored: object, { exclusive }: { exclusive: boolean }): void {
    const parts = [Buffer.from(`${JSON.stringify(stored, null, 2)}\n`)];
    const put = exclusive ? createFile : replaceFile;
    put(this.recordPath(checkpointId), parts, 'power-cut', FILE_MODE);
    syncFolder(this.path, 'power-cut');
  }

  /** The record as it was parsed from its file, unknown fields included. */
  readStored(checkpointId: string): object {
    return JSON.parse(readFileSync(this.recordPath(checkpointId), 'utf8')) as object;
  }

  /** Remembers the sequence before the record goes: a crash in between costs a number, never gives one twice. */
  remove(checkpoint: Checkpoint, present: readonly Checkpoint[]): void {
    if (present.at(-1)?.checkpointId === checkpoint.checkpointId) {
      const parts = [Buffer.from(`${checkpoint.sequence}\n`)];
      replaceFile(join(this.path, LAST_SEQUENCE), parts, 'power-cut', FILE_MODE);
      syncFolder(this.path, 'power-cut');
    }
    this.removeAll([checkpoint]);
  }

  /** None of them the newest. */
  removeAll(checkpoints: readonly Checkpoint[]): void {
    if (checkpoints.length === 0) return;
    for (const { checkpointId } of checkpoints) {
      unlinkSync(this.recordPath(checkpointId));
      this.#cache.delete(checkpointId + RECORD_SUFFIX);
    }
    syncFolder(this.path, 'power-cut');
  }

  #recordNames(): readonly string[] {
    try {
      return readdirSync(this.path).filter(
        (name) => name.endsWith(RECORD_SUFFIX) && isUlid(name.slice(0, -RECORD_SUFFIX.length)),
      );
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** A record is only ever replaced as a whole, by another inode: an unchanged stamp is an unchanged record. */
  #read(name: string): Checkpoint | CorruptRecord | undefined {
    const path = join(this.path, name);
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return undefined;
    const stamp = stampOf(status);
    const cached = this.#cache.get(name);
    if (cached?.stamp === stamp) return cached.record;
    const record = parse(path);
    if (record !== undefined) this.#cache.set(name, { stamp, record });
    return record;
  }

  #lastDeleted(): number {
    const path = join(this.path, LAST_SEQUENCE);
    if (!existsSync(path)) return 0;
    try {
      const value = Number.parseInt(readFileSync(path, 'utf8'), 10);
      return Number.isSafeInteger(value) ? value : 0;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    }
  }
}

function parse(path: string): Checkpoint | CorruptRecord | undefined {
  try {
    return checkpointFromStored(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    return hasCode(error, 'ENOENT') ? undefined : { path, reason: messageOf(error) };
  }
}

function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
