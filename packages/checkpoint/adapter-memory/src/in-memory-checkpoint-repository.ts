import {
  changedCheckpoint,
  type Checkpoint,
  type CheckpointChange,
  type CheckpointDraft,
  CheckpointError,
  CheckpointNotFoundError,
  prune,
  type RetentionPolicy,
} from '@cleveragents/checkpoint-domain';
import type { AppendedCheckpoint, CheckpointRepository } from '@cleveragents/checkpoint-ports';
import type { PlanId } from '@cleveragents/shared-kernel';

export interface InMemoryCheckpoints {
  readonly records?: Iterable<Checkpoint> | undefined;
  /** Which ids are listed for which plan; by default those of `records`. The two need not agree. */
  readonly index?: Iterable<readonly [planId: string, checkpointIds: readonly string[]]> | undefined;
}

/**
 * Checkpoints for as long as the process lives. An index entry without a record is passed over in a list; a record without an
 * index entry can still be read, changed and deleted.
 */
export class InMemoryCheckpointRepository implements CheckpointRepository {
  readonly #records: Map<string, Checkpoint>;
  readonly #index = new Map<string, Set<string>>();
  readonly #lastSequences = new Map<string, number>();

  constructor({ records = [], index }: InMemoryCheckpoints = {}) {
    this.#records = new Map([...records].map((record) => [record.checkpointId, record]));
    for (const { planId, sequence } of this.#records.values()) this.#useSequence(planId, sequence);
    if (index === undefined)
      for (const record of bySequence(this.#records.values()))
        this.#idsOf(record.planId).add(record.checkpointId);
    else for (const [planId, ids] of index) this.#index.set(planId, new Set(ids));
  }

  async append(draft: CheckpointDraft, policy: RetentionPolicy): Promise<AppendedCheckpoint> {
    const { checkpointId, planId } = draft;
    if (this.#records.has(checkpointId))
      throw new CheckpointError('CHECKPOINT_ALREADY_EXISTS', `checkpoint ${checkpointId} exists already`, {
        hint: 'Give every checkpoint an id of its own.',
        data: { checkpointId },
      });
    const checkpoint = { ...draft, sequence: (this.#lastSequences.get(planId) ?? 0) + 1 };
    this.#useSequence(planId, checkpoint.sequence);
    this.#records.set(checkpointId, checkpoint);
    this.#idsOf(planId).add(checkpointId);
    return { checkpoint, pruned: this.#prune(planId, policy) };
  }

  async get(checkpointId: string): Promise<Checkpoint> {
    return this.#get(checkpointId);
  }

  async listByPlan(planId: PlanId): Promise<readonly Checkpoint[]> {
    return this.#list(planId);
  }

  async update(checkpointId: string, change: CheckpointChange): Promise<Checkpoint> {
    const changed = changedCheckpoint(this.#get(checkpointId), change);
    this.#records.set(checkpointId, changed);
    return changed;
  }

  async delete(checkpointId: string): Promise<Checkpoint> {
    return this.#delete(checkpointId);
  }

  async prune(planId: PlanId, policy: RetentionPolicy): Promise<readonly Checkpoint[]> {
    return this.#prune(planId, policy);
  }

  #get(checkpointId: string): Checkpoint {
    const record = this.#records.get(checkpointId);
    if (record === undefined) throw new CheckpointNotFoundError(checkpointId);
    return record;
  }

  #list(planId: PlanId): readonly Checkpoint[] {
    return bySequence([...(this.#index.get(planId) ?? [])].flatMap((id) => this.#records.get(id) ?? []));
  }

  #delete(checkpointId: string): Checkpoint {
    const record = this.#get(checkpointId);
    this.#records.delete(checkpointId);
    this.#index.get(record.planId)?.delete(checkpointId);
    return record;
  }

  #prune(planId: PlanId, policy: RetentionPolicy): readonly Checkpoint[] {
    const { pruned } = prune(this.#list(planId), policy);
    for (const { checkpointId } of pruned) this.#delete(checkpointId);
    return pruned;
  }

  #idsOf(planId: string): Set<string> {
    const ids = this.#index.get(planId) ?? new Set<string>();
    this.#index.set(planId, ids);
    return ids;
  }

  #useSequence(planId: string, sequence: number): void {
    this.#lastSequences.set(planId, Math.max(sequence, this.#lastSequences.get(planId) ?? 0));
  }
}

function bySequence(checkpoints: Iterable<Checkpoint>): readonly Checkpoint[] {
  return [...checkpoints].sort((a, b) => a.sequence - b.sequence);
}
