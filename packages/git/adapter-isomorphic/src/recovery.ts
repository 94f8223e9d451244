import { GitError, type RecoveryReport } from '@cleveragents/git-ports';
import type { JournalEntry } from '@cleveragents/shared-adapter-fs';
import { undoAddWorktree } from './add-worktree.ts';
import { recoverBranchMove } from './branch-move-recovery.ts';
import type { EngineRecovery } from './branch-survey.ts';
import { removeDeadLocks } from './dead-locks.ts';
import { Deadline } from './deadline.ts';
import { fileSystemError } from './file-access.ts';
import { holdApplyLock } from './held-lock.ts';
import { type OperationKind, OperationJournal } from './operation-journal.ts';
import { finishRemoval } from './remove-worktree.ts';
import type { RepositoryCore } from './repository.ts';

type Action = RecoveryReport['actions'][number];

/** See `WorktreeHost.recover`. */
export async function recover(repository: RepositoryCore, engine: EngineRecovery): Promise<RecoveryReport> {
  const journal = new OperationJournal(repository.layout);
  const deadline = new Deadline({ timeoutMs: repository.timeoutMs });
  await journal.sweep();
  if ((await journal.abandoned()).length === 0) {
    await removeDeadLocks(repository.layout);
    return { actions: [] };
  }
  const release = await holdApplyLock(repository.layout, deadline);
  try {
    const actions: Action[] = [];
    // read again: another process may have set all right while we waited
    for (const entry of await journal.abandoned()) {
      // those of a half-done update keep git away until it is set right
      if (entry.kind !== 'update-branch') await removeDeadLocks(repository.layout);
      actions.push(await recoverEntry(repository, entry, engine));
    }
    await removeDeadLocks(repository.layout);
    return { actions };
  } finally {
    await release();
  }
}

async function recoverEntry(
  repository: RepositoryCore,
  entry: JournalEntry,
  engine: EngineRecovery,
): Promise<Action> {
  const operation = entry.kind as OperationKind;
  if (!Object.hasOwn(RECOVERIES, operation))
    return {
      operation,
      outcome: 'blocked',
      detail: `Another version began an operation "${entry.kind}": it is left alone.`,
    };
  try {
    return { operation, ...(await RECOVERIES[operation](repository, entry, engine)) };
  } catch (error) {
    const known = fileSystemError('cannot set right what a dead process left', error);
    if (!(known instanceof GitError)) throw error;
    return { operation, outcome: 'blocked', detail: known.message };
  }
}

type Outcome = Omit<Action, 'operation'>;

const RECOVERIES: Readonly<
  Record<
    OperationKind,
    (repository: RepositoryCore, entry: JournalEntry, engine: EngineRecovery) => Promise<Outcome>
  >
> = {
  'add-worktree': async (repository, entry) => {
    await undoAddWorktree(repository, entry);
    await entry.complete();
    const { path } = entry.payload as { path: string };
    return { outcome: 'undone', detail: `The worktree at ${path} was never finished: it is removed.` };
  },
  'remove-worktree': async (repository, entry) => {
    const { leftOver } = await finishRemoval(repository, entry);
    const { path } = entry.payload as { path: string };
    const rest = leftOver.map((left) => ` ${left.path} stays: ${left.reason}.`).join('');
    return { outcome: 'finished', detail: `The worktree at ${path} is removed.${rest}` };
  },
  'restore-worktree': async (_repository, entry, engine) => {
    await engine.finishRestore(entry);
    await entry.complete();
    const { path } = entry.payload as { path: string };
    return { outcome: 'finished', detail: `The worktree at ${path} is restored.` };
  },
  'update-branch': recoverBranchMove,
};
