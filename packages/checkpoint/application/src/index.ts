export type { CapturedCheckpoint } from './checkpoint-recorder.ts';
export {
  type CaptureCheckpoint,
  CheckpointService,
  type CheckpointServiceParts,
  type CreateCheckpoint,
} from './checkpoint-service.ts';
export { CheckpointServiceToken, CorrectionServiceToken } from './checkpoint.tokens.ts';
export {
  type CorrectDecision,
  type CorrectionResult,
  CorrectionService,
  type CorrectionServiceParts,
} from './correction-service.ts';
export type { RollbackOptions, WrittenPath } from './rollback.ts';
