import { basename } from 'node:path';
import { type Finding, lockFindings } from '@cleveragents/sandbox-domain';
import type { HealthCheck } from '@cleveragents/sandbox-ports';
import { breakStaleLock, inspectLocks } from '@cleveragents/shared-adapter-fs';
import type { Clock } from '@cleveragents/shared-kernel';

/** Of the repository itself; whoever moves its branches looks after it. */
const APPLY_LOCK = 'apply.lock';

/** Locks of folders that belong to no sandbox: checkpoints, corrections, change sets. */
export class LockHealth implements HealthCheck {
  readonly #folders: readonly string[];
  readonly #clock: Clock;

  constructor(folders: readonly string[], clock: Clock) {
    this.#folders = folders;
    this.#clock = clock;
  }

  async examine(): Promise<readonly Finding[]> {
    const locks = this.#folders
      .flatMap((folder) => inspectLocks(folder))
      .filter(({ path }) => basename(path) !== APPLY_LOCK)
      .map(({ path, holder }) => ({
        path,
        holder: holder.state,
        pid: holder.process?.pid ?? null,
        since: (holder.since ?? new Date(0)).toISOString(),
        kind: 'own-folder' as const,
      }));
    return lockFindings(locks, this.#clock.now());
  }

  async repair({ subject }: Finding): Promise<string> {
    return breakStaleLock(subject) === null ? 'Nothing had to be done any more.' : 'The lock is free.';
  }
}
