export {
  type AppendedCheckpoint,
  type CheckpointRepository,
  CheckpointRepositoryToken,
} from './checkpoint-repository.ts';
export { type CorrectionLog, CorrectionLogToken } from './correction-log.ts';
export { type PlanStateGuard, PlanStateGuardToken } from './plan-state-guard.ts';
export {
  type AbandonedSnapshot,
  type CapturedSnapshot,
  type CaptureOptions,
  type SnapshotStore,
  SnapshotStoreToken,
} from './snapshot-store.ts';
