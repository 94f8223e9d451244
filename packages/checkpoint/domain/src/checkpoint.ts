import type { PlanId } from '@cleveragents/shared-kernel';
import { parsePlanId, ValidationError } from '@cleveragents/shared-kernel';
import type { Coverage } from './coverage.ts';

/** What was about to happen, or had just happened, when the checkpoint was taken. */
export const CHECKPOINT_TYPES = [
  'manual',
  'pre_write',
  'post_write',
  'pre_tool',
  'post_tool',
  'pre_command',
  'post_command',
  'pre_rollback',
  'decision',
] as const;
export type CheckpointType = (typeof CHECKPOINT_TYPES)[number];

/** Why a checkpoint was taken, for people who read the list later. */
export interface CheckpointMetadata {
  readonly reason?: string;
  readonly sourceTool?: string;
  readonly phase?: string;
}

/** A restorable state of a sandbox, plus why it was taken. */
export interface Checkpoint {
  /** Ours, a ULID, except in repositories that somebody seeded by hand. */
  readonly checkpointId: string;
  readonly planId: PlanId;
  /** What a snapshot store restores; opaque here. */
  readonly sandboxRef: string;
  /** ISO 8601 in UTC. For people: clocks tie and go back, so order by `sequence`. */
  readonly createdAt: string;
  /** 1 for a plan's first checkpoint, then always greater than every earlier one of the plan. */
  readonly sequence: number;
  readonly checkpointType: CheckpointType;
  readonly decisionId?: string;
  readonly resourceId?: string;
  readonly filesystemPath?: string;
  readonly sizeBytes?: number;
  readonly metadata: CheckpointMetadata;
  /** Retention never drops a pinned checkpoint. */
  readonly pinned?: boolean;
  /** Only of checkpoints whose snapshot we took: what it holds, and what it does not. Its absence: the ref is the caller's. */
  readonly coverage?: Coverage;
  /** Only of safety checkpoints: the rollback that this one can undo. */
  readonly rollback?: RollbackUnderSafety;
}

export interface RollbackUnderSafety {
  /** The checkpoint that is, or was, rolled back to. */
  readonly targetCheckpointId: string;
  /** Meanwhile retention keeps both. */
  readonly isUnderWay: boolean;
}

/** A checkpoint before its repository has put it in order. */
export type CheckpointDraft = Omit<Checkpoint, 'sequence'>;

/** What may change in a recorded checkpoint. */
export interface CheckpointChange {
  readonly pinned?: boolean;
  /** `false`: the rollback is over; of a checkpoint that is no safety checkpoint it changes nothing. */
  readonly isRollbackUnderWay?: boolean;
}

/** What a caller says of a new checkpoint. Ids are opaque: non-empty is the only rule. */
export interface NewCheckpoint {
  readonly planId: string;
  readonly sandboxRef: string;
  readonly reason?: string | undefined;
  readonly sourceTool?: string | undefined;
  readonly phase?: string | undefined;
  readonly decisionId?: string | undefined;
  /** Default `manual`. */
  readonly checkpointType?: CheckpointType | undefined;
  readonly resourceId?: string | undefined;
  readonly filesystemPath?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly pinned?: boolean | undefined;
}

export interface CheckpointOrigin {
  readonly checkpointId: string;
  readonly createdAt: Date;
  readonly coverage?: Coverage;
  readonly rollback?: RollbackUnderSafety;
}

/**
 * @throws ValidationError `plan_id cannot be empty`, `sandbox_ref cannot be empty`, or for an unknown type, an empty id, or a
 *   size that is no whole number of bytes.
 */
export function checkpointDraft(input: NewCheckpoint, origin: CheckpointOrigin): CheckpointDraft {
  const planId = parsePlanId(input.planId);
  if (!isFilled(input.sandboxRef)) throw new ValidationError('sandbox_ref cannot be empty');
  return {
    checkpointId: validateUlidField(origin.checkpointId),
    planId,
    sandboxRef: input.sandboxRef,
    createdAt: origin.createdAt.toISOString(),
    checkpointType: parseCheckpointType(input.checkpointType ?? 'manual'),
    ...optional('decisionId', optionalId('decision_id', input.decisionId)),
    ...optional('resourceId', optionalId('resource_id', input.resourceId)),
    ...optional('filesystemPath', optionalId('filesystem_path', input.filesystemPath)),
    ...optional('sizeBytes', optionalSize(input.sizeBytes)),
    metadata: {
      ...optional('reason', input.reason),
      ...optional('sourceTool', input.sourceTool),
      ...optional('phase', input.phase),
    },
    ...(input.pinned === true && { pinned: true }),
    ...optional('coverage', origin.coverage),
    ...optional('rollback', origin.rollback),
  };
}

/** @throws ValidationError that names the types there are. */
export function parseCheckpointType(raw: string): CheckpointType {
  const known = CHECKPOINT_TYPES.find((type) => type === raw);
  if (known === undefined)
    throw new ValidationError(
      `checkpoint_type must be one of ${CHECKPOINT_TYPES.join(', ')}, not ${JSON.stringify(raw)}`,
    );
  return known;
}

/**
 * The one rule for an id that a caller gives: it is there. The ids of callers need not be strict ULIDs.
 *
 * @throws ValidationError `ULID field must not be empty`.
 */
export function validateUlidField(value: string): string {
  if (!isFilled(value)) throw new ValidationError('ULID field must not be empty');
  return value;
}

/** The checkpoint as `change` leaves it. */
export function changedCheckpoint(checkpoint: Checkpoint, change: CheckpointChange): Checkpoint {
  const { pinned, rollback, ...rest } = checkpoint;
  const isPinned = change.pinned ?? pinned ?? false;
  const isUnderWay = change.isRollbackUnderWay ?? rollback?.isUnderWay ?? false;
  return {
    ...rest,
    ...(isPinned && { pinned: true }),
    ...(rollback && { rollback: { ...rollback, isUnderWay } }),
  };
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function optionalId(field: string, value: string | undefined): string | undefined {
  if (value !== undefined && !isFilled(value)) throw new ValidationError(`${field} cannot be empty`);
  return value;
}

function optionalSize(value: number | undefined): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 0))
    throw new ValidationError('size_bytes must be a whole number of bytes, 0 or more');
  return value;
}

/** `{ [key]: value }`, or nothing at all: an absent member is not one that holds `undefined`. */
function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}
