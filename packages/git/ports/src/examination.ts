import type { ObjectId } from '@cleveragents/git-domain';
import type { NewWorktree, RecoveryReport } from './worktree-host.ts';

/** An operation that was begun and is not complete. */
export interface UnfinishedOperation {
  readonly operation: RecoveryReport['actions'][number]['operation'];
  /** The worktree, or the branch, that it is about. */
  readonly subject: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Whether the process runs that began it; `unknown` on another machine or in another container. */
  readonly process: 'alive' | 'dead' | 'unknown';
}

/** A lock that lies in a repository at this moment: one of git's own files, or one of our folders. */
export interface GitLock {
  readonly path: string;
  /** Who has it: a process of ours, or `foreign`: git, or whatever else made the file. */
  readonly holder: 'alive' | 'dead' | 'unknown' | 'foreign';
  /** Number of our process; null for a foreign one. */
  readonly pid: number | null;
  /** ISO 8601, UTC. */
  readonly since: string;
}

export interface LeftBehind {
  readonly operations: readonly UnfinishedOperation[];
  /** Why the journal cannot be read, and with it no operation be finished; null when it can. */
  readonly damage: string | null;
  /** By path. */
  readonly locks: readonly GitLock[];
}

/** A linked worktree of which a part is gone, and what is known of it. */
export interface LostWorktree extends Pick<NewWorktree, 'path' | 'branch' | 'owner'> {
  readonly gitDirectory: string;
  /** Whose files the index is to hold where it is gone: the branch's tip. */
  readonly commit: ObjectId;
}
