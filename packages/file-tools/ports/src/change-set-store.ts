import type { ChangeEntry } from '@cleveragents/file-tools-domain';
import type { PlanId, Token } from '@cleveragents/shared-kernel';
import { token } from '@cleveragents/shared-kernel';

/** Keeps the change sets of plans. */
export interface ChangeSetStore {
  /**
   * Adds to the end of a plan's log; visible to the next `load` once resolved. All entries or none.
   * Several writers at once: every entry is kept.
   */
  append(planId: PlanId, entries: readonly ChangeEntry[]): Promise<void>;
  /** In the order of their `append`. Empty for an unknown plan. */
  load(planId: PlanId): Promise<readonly ChangeEntry[]>;
  /** Forgets a plan's log. Nothing to do for an unknown plan. */
  clear(planId: PlanId): Promise<void>;
}

export const ChangeSetStoreToken: Token<ChangeSetStore> = token(
  '@cleveragents/file-tools-ports/ChangeSetStore',
);
