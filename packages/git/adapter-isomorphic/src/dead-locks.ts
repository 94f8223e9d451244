import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sweepTemporaryFiles } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import { namesIn } from './file-access.ts';
import { removeDeadLock } from './lock-file.ts';
import type { RepositoryLayout } from './repository-layout.ts';

/** Files of each git folder that we ever lock; those below `refs` come on top. */
const LOCKED_FILES = ['index', 'HEAD', 'packed-refs', 'config'];

/**
 * Removes every git lock, and every temporary file, that a process of ours left when it died. Those of git, and of
 * processes that live, stay.
 */
export async function removeDeadLocks({ commonDirectory }: RepositoryLayout): Promise<void> {
  for (const directory of gitDirectoriesIn(commonDirectory)) {
    for (const file of LOCKED_FILES) await removeDeadLock(join(directory, `${file}.lock`));
    await sweepTemporaryFiles(directory);
  }
  await removeDeadLocksBelow(join(commonDirectory, 'refs'));
}

/** Every lock file that lies where git, or we, put them; whoever made it. */
export function lockFilesOf({
  commonDirectory,
}: Pick<RepositoryLayout, 'commonDirectory'>): readonly string[] {
  const besides = gitDirectoriesIn(commonDirectory).flatMap((directory) =>
    namesIn(directory)
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join(directory, name)),
  );
  return [...besides, ...locksBelow(join(commonDirectory, 'refs'))];
}

function gitDirectoriesIn(commonDirectory: string): readonly string[] {
  const worktrees = join(commonDirectory, 'worktrees');
  return [commonDirectory, ...namesIn(worktrees).map((name) => join(worktrees, name))];
}

function locksBelow(directory: string): readonly string[] {
  return entriesOf(directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return locksBelow(path);
    return entry.name.endsWith('.lock') ? [path] : [];
  });
}

async function removeDeadLocksBelow(directory: string): Promise<void> {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await removeDeadLocksBelow(path);
    else if (entry.name.endsWith('.lock')) await removeDeadLock(path);
  }
  await sweepTemporaryFiles(directory);
}

function entriesOf(directory: string): readonly { readonly name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    // git removes empty folders of refs at any time
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
