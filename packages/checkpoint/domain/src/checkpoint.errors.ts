import { CodedError, type ErrorDetails } from '@cleveragents/shared-kernel';

export type CheckpointErrorCode =
  /** No checkpoint has this id. */
  | 'CHECKPOINT_NOT_FOUND'
  /** The id is taken; nothing was overwritten. */
  | 'CHECKPOINT_ALREADY_EXISTS'
  /** The record is there, but no store can bring its files back. */
  | 'CHECKPOINT_NOT_RESTORABLE'
  /** The plan's work has reached the original: going back is an undo of the apply. */
  | 'ROLLBACK_PLAN_APPLIED'
  | 'ROLLBACK_SANDBOX_MISSING'
  | 'ROLLBACK_WRONG_PLAN'
  /** A path that the rollback was narrowed to is in neither state. */
  | 'ROLLBACK_PATH_UNKNOWN'
  /** The files changed between looking and writing; nothing was written. */
  | 'ROLLBACK_TREE_MOVED'
  /** The place to rebuild a sandbox in holds files already. */
  | 'SANDBOX_NOT_EMPTY'
  /** The service was made without what this call needs. */
  | 'CHECKPOINT_SUPPORT_MISSING'
  | 'CORRECTION_CHECKPOINT_MISSING'
  /** Writing the files failed and the old state was put back. */
  | 'SNAPSHOT_RESTORE_FAILED'
  /** The store holds something that it did not write, or lost something that it did. */
  | 'SNAPSHOT_STORE_CORRUPT';

/** Any refusal or failure of the checkpoint context. */
export class CheckpointError extends CodedError<CheckpointErrorCode> {}

export class CheckpointNotFoundError extends CheckpointError {
  constructor(checkpointId: string, details: ErrorDetails = {}) {
    super('CHECKPOINT_NOT_FOUND', `checkpoint ${JSON.stringify(checkpointId)} not found`, {
      hint: 'List the checkpoints of the plan to see which ids there are.',
      ...details,
      data: { checkpointId, ...details.data },
    });
  }
}

/** A ref that the snapshot store does not know, or a service without a store. */
export function notRestorable(sandboxRef: string, details: ErrorDetails = {}): CheckpointError {
  return new CheckpointError(
    'CHECKPOINT_NOT_RESTORABLE',
    `no snapshot ${JSON.stringify(sandboxRef)} to restore from`,
    {
      hint: 'Only checkpoints whose snapshot is in the store can be rolled back to; take one with `cleveragents checkpoint create`.',
      ...details,
      data: { sandboxRef, ...details.data },
    },
  );
}
