export { changedPaths } from './changed-paths.ts';
export {
  changedCheckpoint,
  type Checkpoint,
  type CheckpointChange,
  type CheckpointDraft,
  checkpointDraft,
  type CheckpointMetadata,
  type CheckpointOrigin,
  type CheckpointType,
  CHECKPOINT_TYPES,
  type NewCheckpoint,
  parseCheckpointType,
  type RollbackUnderSafety,
  validateUlidField,
} from './checkpoint.ts';
export {
  CheckpointError,
  type CheckpointErrorCode,
  CheckpointNotFoundError,
  notRestorable,
} from './checkpoint.errors.ts';
export { alignedCheckpoint, type Correction, type CorrectionMode, CORRECTION_MODES } from './correction.ts';
export {
  type Coverage,
  LISTED_UNCOVERED,
  summaryOfCoverage,
  type Uncovered,
  type UncoveredReason,
  UNCOVERED_REASONS,
} from './coverage.ts';
export { ancestorsOf, PathSet } from './path-set.ts';
export {
  type KeptPath,
  type KeptReason,
  planRestore,
  type RestoreChoice,
  type RestoreFacts,
  type RestorePlan,
  unmentionedPaths,
} from './restore-plan.ts';
export { prune, type Retained, type RetentionPolicy, retentionPolicy } from './retention.ts';
export { guardRollback, type RollbackFacts } from './rollback-guard.ts';
export { type RollbackResult, rollbackResult } from './rollback-result.ts';
export { isSameEntry, type SnapshotDifference, type SnapshotEntry } from './snapshot.ts';
export {
  checkpointFromStored,
  checkpointToStored,
  correctionFromStored,
  correctionToStored,
  STORED_SCHEMA_VERSION,
  type StoredCheckpoint,
  storedCheckpointSchema,
  type StoredCorrection,
  storedCorrectionSchema,
} from './stored-checkpoint.schema.ts';
export {
  complaintsOf,
  DEFAULT_STORE_BUDGET_BYTES,
  forgottenSnapshots,
  type SnapshotRecord,
  type StoreComplaint,
  type StoreFacts,
} from './store-health.ts';
