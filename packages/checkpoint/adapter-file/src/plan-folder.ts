import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, checkpointFromStored } from '@cleveragents/checkpoint-domain';
import { syncDirectory, writeFileAtomically } from '@cleveragents/shared-adapter-fs';
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

/** The records of one plan: `<checkpoint id>.json` each. Whoever changes it holds the plan's lock. */
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
  async nextSequence(present: readonly Checkpoint[]): Promise<number> {
    return Math.max(present.at(-1)?.sequence ?? 0, await this.#lastDeleted()) + 1;
  }

  async write(checkpointId: string, stored: object, { exclusive }: { exclusive: boolean }): Promise<void> {
    const text = `${JSON.stringify(stored, null, 2)}\n`;
    await writeFileAtomically(this.recordPath(checkpointId), text, { mode: 0o600, exclusive });
  }

  /** The record as it was parsed from its file, unknown fields included. */
  async readStored(checkpointId: string): Promise<object> {
    return JSON.parse(await readFile(this.recordPath(checkpointId), 'utf8')) as object;
  }

  /** Remembers the sequence before the record goes: a crash in between costs a number, never gives one twice. */
  async remove(checkpoint: Checkpoint, present: readonly Checkpoint[]): Promise<void> {
    if (present.at(-1)?.checkpointId === checkpoint.checkpointId)
      await writeFileAtomically(join(this.path, LAST_SEQUENCE), `${checkpoint.sequence}\n`, { mode: 0o600 });
    await this.removeAll([checkpoint]);
  }

  /** None of them the newest. */
  async removeAll(checkpoints: readonly Checkpoint[]): Promise<void> {
    if (checkpoints.length === 0) return;
    for (const { checkpointId } of checkpoints) {
      await unlink(this.recordPath(checkpointId));
      this.#cache.delete(checkpointId + RECORD_SUFFIX);
    }
    await syncDirectory(this.path);
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

  async #lastDeleted(): Promise<number> {
    try {
      const value = Number.parseInt(await readFile(join(this.path, LAST_SEQUENCE), 'utf8'), 10);
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
