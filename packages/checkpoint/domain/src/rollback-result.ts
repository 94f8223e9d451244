import { ValidationError } from '@cleveragents/shared-kernel';
import { validateUlidField } from './checkpoint.ts';
import type { KeptPath, RestorePlan } from './restore-plan.ts';

/** What a rollback did, or would do. */
export interface RollbackResult {
  readonly fromCheckpointId: string;
  /** How many paths `restoredFiles` names. */
  readonly restoredFilesCount: number;
  /** Exactly the paths whose bytes, kind or mode changed, those that went away included; sorted. */
  readonly restoredFiles: readonly string[];
  /** Paths that the rollback left as they are although the two states differ, or may differ, there. */
  readonly keptFiles: readonly KeptPath[];
  /** Rolls the rollback back. `null` after a dry run. */
  readonly safetyCheckpointId: string | null;
  /** Only after a dry run: what would be done. */
  readonly plan?: RestorePlan;
}

/** @throws ValidationError for an empty checkpoint id, or a count that is not the number of paths. */
export function rollbackResult(
  values: Omit<RollbackResult, 'restoredFilesCount' | 'keptFiles' | 'safetyCheckpointId'> &
    Partial<RollbackResult>,
): RollbackResult {
  const restoredFiles = values.restoredFiles.toSorted();
  if (values.restoredFilesCount !== undefined && values.restoredFilesCount !== restoredFiles.length)
    throw new ValidationError('restored_files_count must be the number of restored files');
  return {
    keptFiles: [],
    safetyCheckpointId: null,
    ...values,
    fromCheckpointId: validateUlidField(values.fromCheckpointId),
    restoredFiles,
    restoredFilesCount: restoredFiles.length,
  };
}
