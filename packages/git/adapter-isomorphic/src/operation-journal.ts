import { join } from 'node:path';
import {
  type Journal,
  type JournalEntry,
  openJournal,
  processIdentity,
} from '@cleveragents/shared-adapter-fs';
import { GitError } from '@cleveragents/git-ports';
import { messageOf } from '@cleveragents/shared-kernel';
import { fileSystemError } from './file-access.ts';
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
      throw fileSystemError(`cannot write to ${this.#journal.directory}`, error);
    } finally {
      this.leave(entry);
    }
  }

  /**
   * For operations that outlive one call: `leave` must follow, whatever happens.
   * @throws GitError `GIT_FILE_SYSTEM`.
   */
  async begin(kind: OperationKind, payload: object): Promise<JournalEntry> {
    try {
      const entry = await this.#journal.begin(kind, payload);
      underWay.add(entry.id);
      return entry;
    } catch (error) {
      throw fileSystemError(`cannot write to ${this.#journal.directory}`, error);
    }
  }

  leave(entry: JournalEntry): void {
    underWay.delete(entry.id);
  }

  /** Removes what dead processes left of entries that were never whole, or complete already. */
  async sweep(): Promise<void> {
    await this.#journal.sweep();
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
    } catch (error) {
      throw undoingFailed(cause, error);
    }
    await completeIfPossible(entry);
  }
}

/** For an entry that nothing depends on any more: what keeps it from going is left to recovery, which finds nothing to do. */
export async function completeIfPossible(entry: JournalEntry): Promise<void> {
  try {
    await entry.complete();
  } catch (error) {
    if (fileSystemError('', error) === error) throw error;
  }
}

/** The one error after which something is left as it should not be: `recover` has to set it right. */
export function undoingFailed(cause: unknown, error: unknown): GitError {
  return new GitError('GIT_FILE_SYSTEM', `${messageOf(cause)}; to undo it failed too: ${messageOf(error)}`, {
    hint: 'See to what the system complains about; the next command undoes the rest.',
    data: { undone: false },
    cause,
  });
}
