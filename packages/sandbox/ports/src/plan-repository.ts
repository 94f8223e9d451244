import { token, type PlanId, type Token } from '@cleveragents/shared-kernel';
import type { LockTrace, PlanRecord, UnreadableRecord } from '@cleveragents/sandbox-domain';

export interface PlanListing {
  /** By creation time, oldest first, then by plan id. */
  readonly plans: readonly PlanRecord[];
  /** Records that cannot be read; the others are listed all the same. */
  readonly unreadable: readonly UnreadableRecord[];
}

/** Keeps plan records, so that a plan survives its process. */
export interface PlanRepository {
  /** Null for an unknown plan. @throws PlanStoreError `PLAN_RECORD_UNREADABLE`. */
  load(planId: PlanId): Promise<PlanRecord | null>;
  /** Whole record, durable once resolved: a crash leaves the old or the new one. */
  save(plan: PlanRecord): Promise<void>;
  list(): Promise<PlanListing>;
  /** Missing: fine. */
  delete(planId: PlanId): Promise<void>;
  /**
   * Runs `work` while nobody else, in this process or another, runs one for the same plan. Not reentrant.
   * @throws PlanStoreError `PLAN_LOCKED` when the lock is not had in time.
   */
  withPlanLock<T>(planId: PlanId, work: () => Promise<T>): Promise<T>;
  /**
   * Says that work goes on in the plan's sandbox, until the function that it gives is called or the process ends.
   * @param label one line that tells people which work: the command.
   */
  beginWork(planId: PlanId, label: string): Promise<() => Promise<void>>;
  /** Labels of the work that goes on now, in whatever process, sorted. What a dead process began does not count. */
  listWork(planId: PlanId): Promise<readonly string[]>;

  /** Locks that are held now, by the living or the dead. Reads only. */
  listLocks(): Promise<readonly LockTrace[]>;
  /** Frees one of those, if a dead process holds it. @returns whether it did; false also for a lock of others. */
  freeLock(path: string): Promise<boolean>;
  /**
   * Gives the name of a damaged record free; the file is kept beside it. One that can be read after all stays.
   * @returns what it is called now; null when nothing had to be done.
   */
  putAside(name: string): Promise<string | null>;
}

export const PlanRepositoryToken: Token<PlanRepository> = token('@cleveragents/sandbox-ports/PlanRepository');
