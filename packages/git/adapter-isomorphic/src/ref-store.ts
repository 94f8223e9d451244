import type { ObjectId } from '@cleveragents/git-domain';
import type { Head, Ref, RefUpdate } from '@cleveragents/git-ports';
import type { Environment } from './environment.ts';
import type { GitConfig } from './git-config.ts';
import type { LockOptions } from './lock-file.ts';
import type { RepositoryLayout } from './repository-layout.ts';

export interface RefStoreOptions {
  readonly layout: RepositoryLayout;
  readonly config: GitConfig;
  readonly environment?: Environment | undefined;
}

export interface LoggedRefUpdate extends RefUpdate {
  /** Git folders of work trees whose HEAD reflog gets the line too. Default: every work tree that is on the branch. */
  readonly headLogs?: readonly string[] | undefined;
}

/** A ref whose lock is held and whose value was checked. One of the two methods is called, once. */
export interface PreparedRefUpdate {
  /** Path of the lock, for journals. */
  readonly lockPath: string;
  /** Writes the reflogs and moves the ref. */
  commit(): Promise<void>;
  abort(): Promise<void>;
}

/** The refs of one repository, kept as git keeps them, under git's own locks. */
export class RefStore {
  constructor(options: RefStoreOptions) {
    void options;
  }

  /** Follows symbolic refs. `HEAD` is that of the layout's work tree. Null when there is no such ref. */
  async read(name: string): Promise<ObjectId | null> {
    throw new Error(`not written yet ${name}`);
  }

  async readHead(gitDirectory: string): Promise<Head> {
    throw new Error(`not written yet ${gitDirectory}`);
  }

  /** By name, bytewise. @param prefix of whole components; `''` is every ref below `refs/`. */
  async list(prefix: string): Promise<readonly Ref[]> {
    throw new Error(`not written yet ${prefix}`);
  }

  /** @throws GitError `GIT_REF_MOVED`, `GIT_REF_EXISTS`, `GIT_REF_BLOCKED`, `GIT_LOCKED`. */
  async update(update: LoggedRefUpdate, options: LockOptions = {}): Promise<void> {
    throw new Error(`not written yet ${update.name} ${String(options)}`);
  }

  /** Takes the ref's lock, compares, and holds it. Throws as `update` does. */
  async prepare(update: LoggedRefUpdate, options: LockOptions = {}): Promise<PreparedRefUpdate> {
    throw new Error(`not written yet ${update.name} ${String(options)}`);
  }

  /** Also its reflog. Missing already: fine. @throws GitError `GIT_REF_MOVED`, `GIT_LOCKED`. */
  async delete(name: string, expected: ObjectId, options: LockOptions = {}): Promise<void> {
    throw new Error(`not written yet ${name} ${expected} ${String(options)}`);
  }

  /** Puts a work tree's HEAD on a branch, or detaches it at a commit, with a reflog line. No ref moves. */
  async setHead(
    gitDirectory: string,
    target: { readonly branch: string } | { readonly commit: ObjectId },
    message: string,
    options: LockOptions = {},
  ): Promise<void> {
    throw new Error(`not written yet ${gitDirectory} ${String(target)} ${message} ${String(options)}`);
  }
}
