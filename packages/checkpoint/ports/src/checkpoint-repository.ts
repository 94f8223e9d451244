import type {
  Checkpoint,
  CheckpointChange,
  CheckpointDraft,
  RetentionPolicy,
} from '@cleveragents/checkpoint-domain';
import { type PlanId, type Token, token } from '@cleveragents/shared-kernel';

/** Where the checkpoints of all plans are recorded. Each call is atomic within its plan. */
export interface CheckpointRepository {
  /**
   * Records the draft as the plan's newest checkpoint and prunes by `policy`, as one step: nobody sees the new checkpoint
   * together with those it displaced. `pruned`: oldest first. Visible to the next call once resolved; to other processes only
   * with capability `sharedBetweenProcesses`.
   *
   * @throws CheckpointError `CHECKPOINT_ALREADY_EXISTS` if the id is taken; nothing is overwritten or pruned.
   */
  append(draft: CheckpointDraft, policy: RetentionPolicy): Promise<AppendedCheckpoint>;

  /** @throws CheckpointNotFoundError */
  get(checkpointId: string): Promise<Checkpoint>;

  /** Oldest first, by sequence. Empty for an unknown plan: "no checkpoints yet" is not an error. */
  listByPlan(planId: PlanId): Promise<readonly Checkpoint[]>;

  /** @throws CheckpointNotFoundError */
  update(checkpointId: string, change: CheckpointChange): Promise<Checkpoint>;

  /** Returns what it deleted. @throws CheckpointNotFoundError */
  delete(checkpointId: string): Promise<Checkpoint>;

  /** Returns what it pruned, oldest first. */
  prune(planId: PlanId, policy: RetentionPolicy): Promise<readonly Checkpoint[]>;
}

export interface AppendedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly pruned: readonly Checkpoint[];
}

export const CheckpointRepositoryToken: Token<CheckpointRepository> = token(
  '@cleveragents/checkpoint-ports/CheckpointRepository',
);
