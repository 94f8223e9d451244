import { join } from 'node:path';
import { GitError } from '@cleveragents/git-ports';
import { withDirectoryLock } from '@cleveragents/shared-adapter-fs';
import { CodedError, hasCode } from '@cleveragents/shared-kernel';
import type { Deadline } from './deadline.ts';
import { fileSystemError } from './file-access.ts';
import { ownDirectory } from './operation-journal.ts';
import type { RepositoryLayout } from './repository-layout.ts';

/** Lets go of something, once. */
export type Release = () => Promise<void>;

/** What an operation holds, let go in reverse order. */
export class Holds {
  readonly #releases: Release[] = [];

  add(release: Release): void {
    this.#releases.push(release);
  }

  /**
   * Lets go of all. A lock that the system does not let us remove says nothing about what was done under it: it is left to
   * recovery, and named to whoever meets it.
   */
  async releaseAfterwards(): Promise<void> {
    try {
      await this.releaseAll();
    } catch (error) {
      if (!hasCode(fileSystemError('cannot unlock', error), 'GIT_FILE_SYSTEM')) throw error;
    }
  }

  /** Lets go of all, also when one fails; then throws that failure. */
  async releaseAll(): Promise<void> {
    let failure: { readonly error: unknown } | null = null;
    for (let release = this.#releases.pop(); release !== undefined; release = this.#releases.pop()) {
      try {
        await release();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== null) throw failure.error;
  }
}

/**
 * One at a time may move branches of a repository, or set right what a dead process left.
 *
 * @throws GitError `GIT_LOCKED`, `GIT_ABORTED`.
 */
export function holdApplyLock(layout: RepositoryLayout, deadline: Deadline): Promise<Release> {
  const path = join(ownDirectory(layout), 'apply.lock');
  return new Promise((resolve, reject) => {
    const options = { timeoutMs: deadline.remainingMs, signal: deadline.signal };
    const held = withDirectoryLock(
      path,
      () =>
        new Promise<void>((finish) => {
          resolve(async () => {
            finish();
            await held;
          });
        }),
      options,
    );
    held.catch((error: unknown) => reject(lockError(path, error, deadline)));
  });
}

function lockError(path: string, error: unknown, deadline: Deadline): unknown {
  if (deadline.signal?.aborted)
    return new GitError('GIT_ABORTED', 'the operation was aborted', { cause: deadline.signal.reason });
  if (!hasCode(error, 'LOCK_TIMEOUT') || !(error instanceof CodedError)) return error;
  return new GitError('GIT_LOCKED', error.message, {
    hint: error.hint,
    data: { path, owner: error.data['pid'] ?? null },
    cause: error,
  });
}
