export interface LockOptions {
  /** Longest to wait for a lock that somebody else holds. Default 0: do not wait. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Git's own lock on a file: while `<file>.lock` lies there, every git leaves `<file>` alone. Ours holds a line that says
 * which process made it, so that a lock of a dead process of ours can be told from one of git's.
 */
export interface LockFile {
  /** The lock's path: `<file>.lock`. */
  readonly path: string;
  /** The file it locks. */
  readonly file: string;
  /** Prepares new content, durable on return; `file` stays as it is until `commit`. The last call wins. */
  write(bytes: Uint8Array): Promise<void>;
  /** Puts the prepared content in place, if any was, and ends the lock. */
  commit(): Promise<void>;
  /** Ends the lock without a change. Fine after `commit` or another `release`. */
  release(): Promise<void>;
}

/**
 * @throws GitError `GIT_LOCKED` when somebody else holds the lock until the timeout (`data.path`, `data.owner`: a process
 *   of ours by its id, or null); `GIT_ABORTED`; `GIT_FILE_SYSTEM`.
 */
export async function acquireLockFile(file: string, options: LockOptions = {}): Promise<LockFile> {
  throw new Error(`not written yet ${file} ${String(options)}`);
}

/**
 * Removes the lock at `lockPath` if a process of ours that is dead now left it. False when there is none, or it is
 * somebody else's, or its process lives.
 */
export async function removeDeadLock(lockPath: string): Promise<boolean> {
  throw new Error(`not written yet ${lockPath}`);
}
