import { join } from 'node:path';
import type { GitLock, LeftBehind, UnfinishedOperation } from '@cleveragents/git-ports';
import { inspectLock, openJournal, processState } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { lockFilesOf } from './dead-locks.ts';
import { readLockOwner } from './lock-file.ts';
import { type OperationKind, ownDirectory } from './operation-journal.ts';
import type { RepositoryLayout } from './repository-layout.ts';
import { lstatIfThere } from './steady-file.ts';

/** See `WorktreeHost.examine`. */
export async function examine(layout: RepositoryLayout): Promise<LeftBehind> {
  return { ...(await readOperations(layout)), locks: [...ownLock(layout), ...(await gitLocks(layout))] };
}

async function readOperations(layout: RepositoryLayout): Promise<Pick<LeftBehind, 'operations' | 'damage'>> {
  try {
    const entries = await openJournal(join(ownDirectory(layout), 'journal')).pending();
    const operations = entries.map(({ kind, payload, startedAt, owner }): UnfinishedOperation => ({
      operation: kind as OperationKind,
      subject: subjectOf(payload),
      startedAt: startedAt.toISOString(),
      process: processState(owner),
    }));
    return { operations, damage: null };
  } catch (error) {
    if (!hasCode(error, 'JOURNAL_DAMAGED')) throw error;
    return { operations: [], damage: error.message };
  }
}

function subjectOf(payload: unknown): string {
  const { path, branch } = payload as { readonly path?: unknown; readonly branch?: unknown };
  return typeof path === 'string' ? path : String(branch);
}

function ownLock(layout: RepositoryLayout): readonly GitLock[] {
  const path = join(ownDirectory(layout), 'apply.lock');
  const held = inspectLock(path);
  if (held === null) return [];
  const since = (held.since ?? new Date(lstatIfThere(path)?.mtimeMs ?? 0)).toISOString();
  return [{ path, holder: held.state, pid: held.process?.pid ?? null, since }];
}

async function gitLocks(layout: RepositoryLayout): Promise<readonly GitLock[]> {
  const locks: GitLock[] = [];
  for (const path of [...lockFilesOf(layout)].sort()) {
    const found = lstatIfThere(path);
    if (found === null || !found.isFile()) continue;
    const owner = await readLockOwner(path);
    const holder = owner === null ? 'foreign' : processState(owner);
    locks.push({ path, holder, pid: owner?.pid ?? null, since: new Date(found.mtimeMs).toISOString() });
  }
  return locks;
}
