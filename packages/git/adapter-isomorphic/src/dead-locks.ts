import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@cleveragents/shared-kernel';
import { namesIn } from './file-access.ts';
import { removeDeadLock } from './lock-file.ts';
import type { RepositoryLayout } from './repository-layout.ts';

/** Files of each work tree, and of the repository, that we ever lock; those below `refs` come on top. */
const LOCKED_FILES = ['index', 'HEAD', 'packed-refs'];

/** Removes every git lock that a process of ours left when it died. Those of git, and of living processes, stay. */
export async function removeDeadLocks({ commonDirectory }: RepositoryLayout): Promise<void> {
  const worktrees = join(commonDirectory, 'worktrees');
  const gitDirectories = [commonDirectory, ...namesIn(worktrees).map((name) => join(worktrees, name))];
  const locks = gitDirectories.flatMap((directory) =>
    LOCKED_FILES.map((file) => join(directory, `${file}.lock`)),
  );
  for (const lock of [...locks, ...locksBelow(join(commonDirectory, 'refs'))]) await removeDeadLock(lock);
}

function locksBelow(directory: string): readonly string[] {
  return entriesOf(directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return locksBelow(path);
    return entry.name.endsWith('.lock') ? [path] : [];
  });
}

function entriesOf(directory: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(directory);
  } catch (error) {
    // git removes empty folders of refs at any time
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

function readEntries(directory: string): { readonly name: string; isDirectory(): boolean }[] {
  return readdirSync(directory, { withFileTypes: true });
}
