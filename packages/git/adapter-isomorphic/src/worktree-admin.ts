import type { WorktreeEntry, WorktreeOwner } from '@cleveragents/git-ports';
import type { RefStore } from './ref-store.ts';
import type { RepositoryLayout } from './repository-layout.ts';

/** Name of the file in a linked worktree's admin folder that says whose it is. */
export const OWNER_FILE = 'cleveragents.json';

/** The main work tree first (unless the repository is bare), then linked ones by the name of their admin folder. */
export async function listWorktrees(
  layout: RepositoryLayout,
  refs: RefStore,
): Promise<readonly WorktreeEntry[]> {
  throw new Error(`not written yet ${layout.gitDirectory} ${String(refs)}`);
}

/** Null when the admin folder has no owner file, or one that is not ours. */
export async function readOwner(adminDirectory: string): Promise<WorktreeOwner | null> {
  throw new Error(`not written yet ${adminDirectory}`);
}

/** A work tree that a branch belongs to. */
export interface Checkout {
  readonly path: string;
  readonly gitDirectory: string;
  /** `head`: HEAD is on it; the others: a rebase or bisect there will return to it, though HEAD is detached. */
  readonly through: 'head' | 'rebase' | 'bisect';
}

/** The work trees that have `branch` (full name) checked out, in git's sense. Bare main repositories do not count. */
export async function findCheckouts(
  layout: RepositoryLayout,
  refs: RefStore,
  branch: string,
): Promise<readonly Checkout[]> {
  throw new Error(`not written yet ${layout.gitDirectory} ${String(refs)} ${branch}`);
}
