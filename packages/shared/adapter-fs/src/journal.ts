import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasCode, isUlid, ValidationError, type Clock, type IdGenerator } from '@cleveragents/shared-kernel';
import { syncDirectory } from './atomic-file.ts';
import { HALF_REMOVED, readEntry, writeEntry, type JournalEntry } from './journal-entry.ts';
import { isProcessAlive, parseProcessMark, processIdentity, processMark } from './process-identity.ts';
import { removeTree } from './remove-tree.ts';
import { SystemClock } from './system-clock.ts';
import { UlidGenerator } from './ulid-generator.ts';

export interface JournalOptions {
  /** Default true: entries and steps survive a power cut. False: they survive only the death of the process. */
  readonly durable?: boolean;
  readonly ids?: IdGenerator;
  readonly clock?: Clock;
}

/**
 * Intent records of operations of several steps, one folder each. A crash leaves an entry whole or not at all; whoever
 * comes next finds it `pending`, with its steps, and finishes or undoes the operation. The journal knows no lock: the one
 * that protects the operation protects its entry.
 */
export interface Journal {
  readonly directory: string;
  /**
   * Visible to others, whole, once resolved. Makes the directory if needed, and sweeps.
   * @throws ValidationError when the payload has no JSON form.
   */
  begin(kind: string, payload: unknown): Promise<JournalEntry>;
  /**
   * All entries that are not complete, oldest first, those of running processes included: see `isOwnerAlive`.
   * @throws JournalError `JOURNAL_DAMAGED`
   */
  pending(): Promise<readonly JournalEntry[]>;
  /** Removes what killed processes left of half-begun and half-removed entries. */
  sweep(): Promise<void>;
}

/** Touches nothing yet: a directory that is not there has no entries. */
export function openJournal(directory: string, options: JournalOptions = {}): Journal {
  return new DirectoryJournal(resolve(directory), options);
}

const HALF_BEGUN = 'begun-';

class DirectoryJournal implements Journal {
  readonly directory: string;
  readonly #durable: boolean;
  readonly #ids: IdGenerator;
  readonly #clock: Clock;

  constructor(directory: string, { durable = true, clock = new SystemClock(), ids }: JournalOptions) {
    this.directory = directory;
    this.#durable = durable;
    this.#clock = clock;
    this.#ids = ids ?? new UlidGenerator(clock);
  }

  async begin(kind: string, payload: unknown): Promise<JournalEntry> {
    if (JSON.stringify(payload) === undefined)
      throw new ValidationError('The payload of a journal entry must have a JSON form');
    await this.#makeDirectory();
    await this.sweep();
    const home = join(this.directory, this.#ids.next());
    const prepared = join(this.directory, HALF_BEGUN + processMark());
    const startedAt = this.#clock.now().toISOString();
    try {
      await writeEntry(prepared, { kind, payload, startedAt, owner: processIdentity() }, this.#durable);
      await rename(prepared, home);
    } catch (error) {
      await removeTree(prepared, { within: this.directory });
      throw error;
    }
    if (this.#durable) await syncDirectory(this.directory);
    const entry = await readEntry(home, this.#durable);
    if (entry === null) throw new Error(`${home} was removed while it was begun`);
    return entry;
  }

  async pending(): Promise<readonly JournalEntry[]> {
    const entries: JournalEntry[] = [];
    for (const id of (await namesIn(this.directory)).filter(isUlid).sort()) {
      const entry = await readEntry(join(this.directory, id), this.#durable);
      if (entry !== null) entries.push(entry);
    }
    return entries;
  }

  async sweep(): Promise<void> {
    for (const name of await namesIn(this.directory)) {
      const prefix = [HALF_BEGUN, HALF_REMOVED].find((candidate) => name.startsWith(candidate));
      const maker = prefix === undefined ? null : parseProcessMark(name.slice(prefix.length));
      if (maker !== null && !isProcessAlive(maker))
        await removeTree(join(this.directory, name), { within: this.directory });
    }
  }

  async #makeDirectory(): Promise<void> {
    const first = await mkdir(this.directory, { recursive: true, mode: 0o700 });
    if (first === undefined || !this.#durable) return;
    for (let made = this.directory; made.length >= first.length; made = dirname(made))
      await syncDirectory(dirname(made));
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
