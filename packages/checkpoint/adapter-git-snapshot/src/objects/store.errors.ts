import { CheckpointError } from '@cleveragents/checkpoint-domain';
import { type ErrorDetails, hasCode } from '@cleveragents/shared-kernel';

/** Something in the store is not as the store wrote it. */
export function storeCorrupt(message: string, details: ErrorDetails = {}): CheckpointError {
  return new CheckpointError('SNAPSHOT_STORE_CORRUPT', message, {
    hint: 'Checkpoints that need it cannot be restored, others can; `cleveragents doctor` names them.',
    ...details,
  });
}

/** `null`: the store lacks something that would have had to be read. */
export function orNullIfDamaged<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'SNAPSHOT_STORE_CORRUPT')) return null;
    throw error;
  }
}
