import { basename, dirname, join, resolve } from 'node:path';
import type { Head, WorktreeEntry, WorktreeOwner } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { namesIn, readTextIfThere, statIfThere } from './file-access.ts';
import type { RefStore } from './ref-store.ts';
import { findMainWorkTree, type RepositoryLayout } from './repository-layout.ts';

/** Name of the file in a linked worktree's admin folder that says whose it is. */
export const OWNER_FILE = 'cleveragents.json';

/** The main work tree first (unless the repository is bare), then linked ones by the name of their admin folder. */
export async function listWorktrees(
  layout: RepositoryLayout,
  refs: RefStore,
): Promise<readonly WorktreeEntry[]> {
  const entries = placesOf(layout).map(async ({ path, gitDirectory }) => ({
    path,
    gitDirectory,
    head: await readHead(refs, gitDirectory),
    locked: readTextIfThere(join(gitDirectory, 'locked'))?.trim() ?? null,
    missing: !(statIfThere(path)?.isDirectory() ?? false),
    owner: await readOwner(gitDirectory),
  }));
  return Promise.all(entries);
}

interface Place {
  readonly path: string;
  readonly gitDirectory: string;
}

function placesOf(layout: RepositoryLayout): readonly Place[] {
  const { commonDirectory, gitDirectory, workTree } = layout;
  const main = gitDirectory === commonDirectory ? workTree : findMainWorkTree(commonDirectory);
  const folder = join(commonDirectory, 'worktrees');
  const linked = [...namesIn(folder)].sort().flatMap((name) => {
    const admin = join(folder, name);
    const pointer = readTextIfThere(join(admin, 'gitdir'))?.replace(/[\r\n]+$/, '');
    if (!pointer) return [];
    const target = resolve(admin, pointer);
    return [{ path: basename(target) === '.git' ? dirname(target) : target, gitDirectory: admin }];
  });
  return main === null ? linked : [{ path: main, gitDirectory: commonDirectory }, ...linked];
}

/** A work tree with a damaged HEAD is still one that has to be listed, and removed. */
async function readHead(refs: RefStore, gitDirectory: string): Promise<Head> {
  try {
    return await refs.readHead(gitDirectory);
  } catch (error) {
    if (hasCode(error, 'GIT_CORRUPT', 'VALIDATION_FAILED')) return { branch: null, commit: null };
    throw error;
  }
}

/** Null when the admin folder has no owner file, or one that is not ours. */
export async function readOwner(adminDirectory: string): Promise<WorktreeOwner | null> {
  const text = readTextIfThere(join(adminDirectory, OWNER_FILE));
  return text === null ? null : parseOwner(text);
}

function parseOwner(text: string): WorktreeOwner | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { planId, sandboxId, branch } = value as Readonly<Record<string, unknown>>;
  if (typeof planId !== 'string' || typeof sandboxId !== 'string' || typeof branch !== 'string') return null;
  return { planId, sandboxId, branch };
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
  const checkouts: Checkout[] = [];
  for (const place of placesOf(layout)) {
    const through = await holdOn(place.gitDirectory, refs, branch);
    if (through !== null) checkouts.push({ ...place, through });
  }
  return checkouts;
}

async function holdOn(
  gitDirectory: string,
  refs: RefStore,
  branch: string,
): Promise<Checkout['through'] | null> {
  if ((await readHead(refs, gitDirectory)).branch === branch) return 'head';
  if (isRebased(gitDirectory, branch)) return 'rebase';
  return isBisected(gitDirectory, branch) ? 'bisect' : null;
}

function isRebased(gitDirectory: string, branch: string): boolean {
  const names = ['rebase-merge/head-name', 'rebase-apply/head-name'].map((name) =>
    readTextIfThere(join(gitDirectory, name))?.trim(),
  );
  // `git rebase --update-refs`: three lines for each branch that it will move at its end
  const updated = readTextIfThere(join(gitDirectory, 'rebase-merge/update-refs'))?.split('\n') ?? [];
  return names.includes(branch) || updated.some((line, at) => at % 3 === 0 && line === branch);
}

function isBisected(gitDirectory: string, branch: string): boolean {
  if (statIfThere(join(gitDirectory, 'BISECT_LOG')) === null) return false;
  const start = readTextIfThere(join(gitDirectory, 'BISECT_START'))?.trim();
  return start === branch || `refs/heads/${start ?? ''}` === branch;
}
