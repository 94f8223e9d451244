import type { Fingerprint } from '../drift.ts';
import type { PlanRecord } from '../plan-record.schema.ts';
import type { SandboxState } from '../sandbox-state.schema.ts';

/** A sandbox as the traces of it tell, whether a plan knows it or not. */
export interface SandboxTrace {
  readonly sandboxId: string;
  /** Null when nothing tells whose it is. */
  readonly planId: string | null;
  /** Root of the isolated copy. */
  readonly path: string;
  /**
   * - `whole`: it can be worked in, and cleaned up.
   * - `missing`: the folder is gone; what is kept of it is there.
   * - `detached`: the folder is there, but it and what is kept of it have lost each other. They can be joined again.
   * - `unproven`: something lies there, and nothing proves that it is the sandbox.
   * - `unfinished`: it was never finished, and its maker is dead.
   */
  readonly condition: 'whole' | 'missing' | 'detached' | 'unproven' | 'unfinished';
  /** Why somebody locked it, `''` without a reason; null when it is not locked. */
  readonly locked: string | null;
  /** What it can be reopened from, pieced together; null when that does not suffice. */
  readonly state: SandboxState | null;
}

/** A branch that has the name of a sandbox branch. */
export interface BranchTrace {
  /** Short name. */
  readonly name: string;
  readonly commit: string;
  /** The project's own branch has all its commits. */
  readonly isHeld: boolean;
  /** A work tree has it checked out. */
  readonly isCheckedOut: boolean;
}

/** A note that a sandbox keeps while it is there. */
export interface MemoryTrace {
  readonly ref: string;
  readonly target: string;
  readonly key: string;
}

export interface RescueTrace {
  /** What `plan restore --from` takes. */
  readonly ref: string;
  readonly key: string;
  /** ISO 8601, UTC; null when its name does not tell. */
  readonly at: string | null;
}

export type HolderState = 'alive' | 'dead' | 'unknown' | 'foreign';

export interface OperationTrace {
  /** What it does, for people: `add-worktree`. */
  readonly operation: string;
  readonly subject: string;
  readonly startedAt: string;
  readonly process: Exclude<HolderState, 'foreign'>;
}

export interface LockTrace {
  readonly path: string;
  /** `foreign`: nothing says that it is ours. */
  readonly holder: HolderState;
  readonly pid: number | null;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** A file of git's goes with the recovery of a repository; a folder of ours is freed by itself. */
  readonly kind: 'git-file' | 'own-folder';
}

/** What one strategy's sandboxes left of a resource, as it is now. */
export interface SandboxFacts {
  readonly strategy: 'git_worktree' | 'file_copy';
  readonly traces: readonly SandboxTrace[];
  readonly branches: readonly BranchTrace[];
  readonly memories: readonly MemoryTrace[];
  readonly rescues: readonly RescueTrace[];
  readonly operations: readonly OperationTrace[];
  /** Why the journal of operations cannot be read; null when it can. */
  readonly damage: string | null;
  readonly locks: readonly LockTrace[];
  /** Null where the resource has no settings that an agent could change. */
  readonly fingerprint: Fingerprint | null;
}

/** A plan record that cannot be read. */
export interface UnreadableRecord {
  readonly name: string;
  readonly reason: string;
  /** `newer`: of a version that we do not know. `refused`: the system does not let us read it. */
  readonly fault?: 'damaged' | 'newer' | 'refused' | undefined;
}

/** All that a diagnosis is made from. */
export interface DoctorFacts {
  readonly now: Date;
  readonly plans: readonly PlanRecord[];
  readonly unreadable: readonly UnreadableRecord[];
  /** Of the store of plans. */
  readonly planLocks: readonly LockTrace[];
  readonly sandboxes: SandboxFacts;
}
