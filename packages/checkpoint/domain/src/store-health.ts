/** What a store of checkpoints is allowed to take on disk before somebody should look at it. */
export const DEFAULT_STORE_BUDGET_BYTES = 5 * 1024 ** 3;

/** A store of checkpoints as it is now. */
export interface StoreFacts {
  /** Records that cannot be read. */
  readonly corrupt: readonly { readonly path: string; readonly reason: string }[];
  /** Snapshots whose process died before a checkpoint named them. */
  readonly abandoned: readonly { readonly ref: string; readonly claimant: string }[];
  /** Snapshots that nobody is about to name any more. */
  readonly settled: readonly string[];
  /** Snapshots that a checkpoint names. Read after `settled`, else one that is recorded meanwhile looks forgotten. */
  readonly recorded: readonly string[];
  readonly storedBytes: number;
  readonly budgetBytes: number;
}

export type StoreComplaint =
  | { readonly kind: 'checkpoint-unreadable'; readonly path: string; readonly reason: string }
  | { readonly kind: 'snapshot-abandoned'; readonly ref: string; readonly planId: string }
  | { readonly kind: 'snapshots-forgotten'; readonly count: number }
  | { readonly kind: 'store-over-budget'; readonly storedBytes: number; readonly budgetBytes: number };

/** What is not as it should be with a store of checkpoints. A store as large as its budget is not over it. */
export function complaintsOf(facts: StoreFacts): readonly StoreComplaint[] {
  const { corrupt, abandoned, storedBytes, budgetBytes } = facts;
  const forgotten = forgottenSnapshots(facts).length;
  return [
    ...corrupt.map(({ path, reason }) => ({ kind: 'checkpoint-unreadable', path, reason }) as const),
    ...abandoned.map(({ ref, claimant }) => ({ kind: 'snapshot-abandoned', ref, planId: claimant }) as const),
    ...(forgotten > 0 ? [{ kind: 'snapshots-forgotten', count: forgotten } as const] : []),
    ...(storedBytes > budgetBytes ? [{ kind: 'store-over-budget', storedBytes, budgetBytes } as const] : []),
  ];
}

/** Snapshots that no checkpoint names any more. While a record cannot be read, any of them may be the one that it names. */
export function forgottenSnapshots({ corrupt, settled, recorded }: StoreFacts): readonly string[] {
  if (corrupt.length > 0) return [];
  const named = new Set(recorded);
  return settled.filter((ref) => !named.has(ref));
}
