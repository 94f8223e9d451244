import { CheckpointError } from '@cleveragents/checkpoint-domain';
import type { ErrorDetails } from '@cleveragents/shared-kernel';

/** Something in the store is not as the store wrote it. */
export function storeCorrupt(message: string, details: ErrorDetails = {}): CheckpointError {
  return new CheckpointError('SNAPSHOT_STORE_CORRUPT', message, {
    hint: 'Checkpoints that need it cannot be restored, others can; `cleveragents doctor` names them.',
    ...details,
  });
}
