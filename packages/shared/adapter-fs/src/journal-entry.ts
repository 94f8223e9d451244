import { lstat, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode, ValidationError } from '@cleveragents/shared-kernel';
import { syncDirectory } from './atomic-file.ts';
import { JournalError } from './journal.errors.ts';
import { isProcessAlive, processMark, type ProcessIdentity } from './process-identity.ts';
import { removeTree } from './remove-tree.ts';
import { StepLog } from './step-log.ts';

/** An operation that was begun and not yet completed. */
export interface JournalEntry {
  /** A ULID: entries sort by it in the order they were begun. */
  readonly id: string;
  readonly kind: string;
  /** As given to `begin`, by way of JSON. Whoever reads it back validates it. */
  readonly payload: unknown;
  /** What was recorded so far, oldest first, by way of JSON. */
  readonly steps: readonly unknown[];
  readonly startedAt: Date;
  readonly owner: ProcessIdentity;
  /** A private folder for files that are set aside until the operation is complete; removed with the entry. */
  readonly folder: string;
  /** Also true where nobody can tell, in another container or on another machine: such an entry is left alone. */
  isOwnerAlive(): boolean;
  /**
   * Resolves when the step survives a crash. Several at once are recorded in the order of the calls.
   * @throws ValidationError when the step has no JSON form.
   */
  record(step: unknown): Promise<void>;
  /** The entry is gone, at once and whole, when this resolves; a second call does nothing. Its files are removed after that. */
  complete(): Promise<void>;
}

/** What is written when an entry begins, and never changed. */
export interface Intent {
  readonly kind: string;
  readonly payload: unknown;
  readonly startedAt: string;
  readonly owner: ProcessIdentity;
}

/** How the folder of a removed entry is called until its files are gone too. */
export const HALF_REMOVED = 'done-';

const INTENT = 'intent.json';
const STEPS = 'steps.jsonl';
const FILES = 'files';

/** Writes a new entry into a folder that is not there yet. */
export async function writeEntry(home: string, intent: Intent, durable: boolean): Promise<void> {
  const mode = 0o600;
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(home, FILES), { mode: 0o700 });
  await writeFile(join(home, STEPS), '', { mode, flush: durable });
  await writeFile(join(home, INTENT), JSON.stringify(intent), { mode, flush: durable });
  if (durable) await syncDirectory(home);
}

/**
 * @returns null when there is no such entry, or no longer.
 * @throws JournalError `JOURNAL_DAMAGED`
 */
export async function readEntry(home: string, durable: boolean): Promise<JournalEntry | null> {
  try {
    const intent = parseIntent(await readFile(join(home, INTENT), 'utf8'));
    const log = await StepLog.open(join(home, STEPS), durable);
    if (intent === null || log === null) throw damaged(home);
    return new FolderEntry(home, intent, log, durable);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    if (await isThere(home)) throw damaged(home, error);
    return null;
  }
}

class FolderEntry implements JournalEntry {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly startedAt: Date;
  readonly owner: ProcessIdentity;
  readonly folder: string;
  readonly #home: string;
  readonly #log: StepLog;
  readonly #durable: boolean;
  #recorded: Promise<void> = Promise.resolve();
  #completion: Promise<void> | undefined;

  constructor(home: string, intent: Intent, log: StepLog, durable: boolean) {
    this.id = basename(home);
    this.kind = intent.kind;
    this.payload = intent.payload;
    this.startedAt = new Date(intent.startedAt);
    this.owner = intent.owner;
    this.folder = join(home, FILES);
    this.#home = home;
    this.#log = log;
    this.#durable = durable;
  }

  get steps(): readonly unknown[] {
    return this.#log.steps;
  }

  isOwnerAlive(): boolean {
    return isProcessAlive(this.owner);
  }

  async record(step: unknown): Promise<void> {
    if (this.#completion !== undefined) throw new Error(`Journal entry ${this.id} is complete`);
    if (JSON.stringify(step) === undefined)
      throw new ValidationError('A step of a journal entry must have a JSON form');
    const mine = this.#recorded.then(() => this.#log.append(step));
    this.#recorded = mine.catch(() => undefined); // its caller hears of it; the next step is recorded all the same
    await mine;
  }

  async complete(): Promise<void> {
    this.#completion ??= this.#remove();
    try {
      await this.#completion;
    } catch (error) {
      this.#completion = undefined;
      throw error;
    }
  }

  async #remove(): Promise<void> {
    await this.#recorded;
    const directory = dirname(this.#home);
    const removed = join(directory, HALF_REMOVED + processMark());
    try {
      await rename(this.#home, removed);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return; // another process completed it
      throw error;
    }
    if (this.#durable) await syncDirectory(directory);
    // What cannot be removed now is swept when this process has ended.
    await removeTree(removed, { within: directory });
  }
}

function parseIntent(json: string): Intent | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isIntent(value) ? value : null;
}

function isIntent(value: unknown): value is Intent {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, startedAt, owner } = value as Partial<Record<keyof Intent, unknown>>;
  return typeof kind === 'string' && typeof startedAt === 'string' && isProcessIdentity(owner);
}

function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, ...names } = value as Partial<Record<keyof ProcessIdentity, unknown>>;
  return (
    Number.isSafeInteger(pid) &&
    [names.startTime, names.bootId, names.pidNamespace, names.host].every((name) => typeof name === 'string')
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function damaged(home: string, cause?: unknown): JournalError {
  return new JournalError('JOURNAL_DAMAGED', `The record of an unfinished operation is damaged: ${home}`, {
    hint: `Look at what lies in ${join(home, FILES)}; then move the folder ${basename(home)} away.`,
    data: { entry: home },
    cause,
  });
}
