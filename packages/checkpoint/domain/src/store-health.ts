import type { Checkpoint } from './checkpoint.ts';

/** What a store of checkpoints is allowed to take on disk before somebody should look at it. */
export const DEFAULT_STORE_BUDGET_BYTES = 5 * 1024 ** 3;

/** What a record says of its snapshot. */
export type SnapshotRecord = Pick<Checkpoint, 'checkpointId' | 'planId' | 'sandboxRef' | 'coverage'>;

/** A store of checkpoints as it is now. */
export interface StoreFacts {
  /** Records that cannot be read. */
  readonly corrupt: readonly { readonly path: string; readonly reason: string }[];
  /** Snapshots whose process died before a checkpoint named them. */
  readonly abandoned: readonly { readonly ref: string; readonly claimant: string }[];
  /** Snapshots that nobody is about to name any more. */
  readonly settled: readonly string[];
  /** Read after `settled`, else one that is recorded meanwhile looks forgotten. */
  readonly recorded: readonly SnapshotRecord[];
  /** Refs of `recorded` that the store does not hold. Only of snapshots that we took does that mean anything. */
  readonly missing: readonly string[];
  /** Snapshots of which the store lacks objects. */
  readonly damaged: readonly { readonly ref: string; readonly missing: readonly string[] }[];
  /** Refs of ours in the user's repository that keep what no snapshot needs any more. */
  readonly keepsLeft: readonly string[];
  readonly storedBytes: number;
  readonly budgetBytes: number;
}

export type StoreComplaint =
  | { readonly kind: 'checkpoint-unreadable'; readonly path: string; readonly reason: string }
  | { readonly kind: 'snapshot-abandoned'; readonly ref: string; readonly planId: string }
  | { readonly kind: 'snapshots-forgotten'; readonly count: number }
  | { readonly kind: 'snapshot-missing'; readonly checkpoint: SnapshotRecord }
  | {
      readonly kind: 'snapshot-damaged';
      readonly checkpoint: SnapshotRecord;
      readonly missing: readonly string[];
    }
  | { readonly kind: 'keep-refs-left'; readonly refs: readonly string[] }
  | { readonly kind: 'store-over-budget'; readonly storedBytes: number; readonly budgetBytes: number };

/** What is not as it should be with a store of checkpoints. A store as large as its budget is not over it. */
export function complaintsOf(facts: StoreFacts): readonly StoreComplaint[] {
  const { corrupt, abandoned, keepsLeft, storedBytes, budgetBytes } = facts;
  const forgotten = forgottenSnapshots(facts).length;
  return [
    ...corrupt.map(({ path, reason }) => ({ kind: 'checkpoint-unreadable', path, reason }) as const),
    ...abandoned.map(({ ref, claimant }) => ({ kind: 'snapshot-abandoned', ref, planId: claimant }) as const),
    ...(forgotten > 0 ? [{ kind: 'snapshots-forgotten', count: forgotten } as const] : []),
    ...damages(facts),
    ...(keepsLeft.length > 0 ? [{ kind: 'keep-refs-left', refs: keepsLeft } as const] : []),
    ...(storedBytes > budgetBytes ? [{ kind: 'store-over-budget', storedBytes, budgetBytes } as const] : []),
  ];
}

/** By checkpoint: what nobody can go back to any more. */
function damages({ recorded, missing, damaged }: StoreFacts): readonly StoreComplaint[] {
  const isMissing = new Set(missing);
  const lacking = new Map(damaged.map(({ ref, missing: objects }) => [ref, objects]));
  return recorded
    .filter(({ coverage }) => coverage !== undefined)
    .flatMap((checkpoint): readonly StoreComplaint[] => {
      const objects = lacking.get(checkpoint.sandboxRef);
      if (objects !== undefined) return [{ kind: 'snapshot-damaged', checkpoint, missing: objects }];
      return isMissing.has(checkpoint.sandboxRef) ? [{ kind: 'snapshot-missing', checkpoint }] : [];
    });
}

/** Snapshots that no checkpoint names any more. While a record cannot be read, any of them may be the one that it names. */
export function forgottenSnapshots({ corrupt, settled, recorded }: StoreFacts): readonly string[] {
  if (corrupt.length > 0) return [];
  const named = new Set(recorded.map(({ sandboxRef }) => sandboxRef));
  return settled.filter((ref) => !named.has(ref));
}
