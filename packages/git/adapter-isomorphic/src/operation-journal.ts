import { join } from 'node:path';
import {
  type Journal,
  type JournalEntry,
  openJournal,
  processIdentity,
} from '@cleveragents/shared-adapter-fs';
import type { RepositoryLayout } from './repository-layout.ts';

/** Our own folder in a repository: journal, locks, plan records. */
export function ownDirectory(layout: Pick<RepositoryLayout, 'commonDirectory'>): string {
  return join(layout.commonDirectory, 'cleveragents');
}

export type OperationKind = 'add-worktree' | 'remove-worktree' | 'update-branch' | 'restore-worktree';

/** Entries that this process works on at this moment. */
const underWay = new Set<string>();

/** The journal of what we change in one repository. */
export class OperationJournal {
  readonly #journal: Journal;

  constructor(layout: Pick<RepositoryLayout, 'commonDirectory'>) {
    this.#journal = openJournal(join(ownDirectory(layout), 'journal'));
  }

  /**
   * Runs `work` under an entry, which is complete when it resolves. When it rejects, `undo` must set everything right; an
   * entry whose undoing failed too stays for `recover`.
   */
  async run<Result>(
    kind: OperationKind,
    payload: object,
    steps: {
      readonly work: (entry: JournalEntry) => Promise<Result>;
      readonly undo: (entry: JournalEntry) => Promise<void>;
    },
  ): Promise<Result> {
    const entry = await this.begin(kind, payload);
    try {
      const result = await steps.work(entry);
      await entry.complete();
      return result;
    } catch (error) {
      await this.#undo(entry, steps.undo, error);
      throw error;
    } finally {
      this.leave(entry);
    }
  }

  /** For operations that outlive one call: `leave` must follow, whatever happens. */
  async begin(kind: OperationKind, payload: object): Promise<JournalEntry> {
    const entry = await this.#journal.begin(kind, payload);
    underWay.add(entry.id);
    return entry;
  }

  leave(entry: JournalEntry): void {
    underWay.delete(entry.id);
  }

  /** Entries whose process is dead, or gave up on them. */
  async abandoned(): Promise<readonly JournalEntry[]> {
    const own = processIdentity();
    const entries = await this.#journal.pending();
    return entries.filter((entry) => {
      const isOwn = entry.owner.pid === own.pid && entry.owner.startTime === own.startTime;
      return isOwn && entry.isOwnerAlive() ? !underWay.has(entry.id) : !entry.isOwnerAlive();
    });
  }

  async #undo(
    entry: JournalEntry,
    undo: (entry: JournalEntry) => Promise<void>,
    cause: unknown,
  ): Promise<void> {
    try {
      await undo(entry);
      await entry.complete();
    } catch (error) {
      throw new AggregateError([cause, error], 'an operation failed, and so did its undoing', { cause });
    }
  }
}
