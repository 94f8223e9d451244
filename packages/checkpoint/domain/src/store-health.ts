/** What a store of checkpoints is allowed to take on disk before somebody should look at it. */
export const DEFAULT_STORE_BUDGET_BYTES = 5 * 1024 ** 3;

/** A store of checkpoints as it is now. */
export interface StoreFacts {
  /** Records that cannot be read. */
  readonly corrupt: readonly { readonly path: string; readonly reason: string }[];
  /** Snapshots whose process died before a checkpoint named them. */
  readonly abandoned: readonly { readonly ref: string; readonly claimant: string }[];
  readonly storedBytes: number;
  readonly budgetBytes: number;
}

export type StoreComplaint =
  | { readonly kind: 'checkpoint-unreadable'; readonly path: string; readonly reason: string }
  | { readonly kind: 'snapshot-abandoned'; readonly ref: string; readonly planId: string }
  | { readonly kind: 'store-over-budget'; readonly storedBytes: number; readonly budgetBytes: number };

/** What is not as it should be with a store of checkpoints. A store as large as its budget is not over it. */
export function complaintsOf({
  corrupt,
  abandoned,
  storedBytes,
  budgetBytes,
}: StoreFacts): readonly StoreComplaint[] {
  return [
    ...corrupt.map(({ path, reason }) => ({ kind: 'checkpoint-unreadable', path, reason }) as const),
    ...abandoned.map(({ ref, claimant }) => ({ kind: 'snapshot-abandoned', ref, planId: claimant }) as const),
    ...(storedBytes > budgetBytes ? [{ kind: 'store-over-budget', storedBytes, budgetBytes } as const] : []),
  ];
}
