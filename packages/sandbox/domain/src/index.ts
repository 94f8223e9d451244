export { applySummary, type ApplySummary, type CleanupSummary } from './apply-summary.ts';
export { branchNameForPlan, distinctBranchName } from './branch-name.ts';
export {
  type CommitResult,
  commitResultSchema,
  type FileReport,
  NOTHING_COMMITTED,
  type PathAndReason,
  summariseFiles,
} from './commit-result.schema.ts';
export { diagnose, inOrder } from './doctor/diagnose.ts';
export type {
  BranchTrace,
  DoctorFacts,
  HolderState,
  LockTrace,
  MemoryTrace,
  OperationTrace,
  RescueTrace,
  SandboxFacts,
  SandboxTrace,
  UnreadableRecord,
} from './doctor/facts.ts';
export {
  byDoctor,
  byYou,
  type Diagnosis,
  type Finding,
  type KeptWork,
  type Repair,
  type RepairStep,
  type SandboxRepairStep,
} from './doctor/finding.ts';
export { hasUseForSandbox, sandboxesInUse } from './doctor/known-plans.ts';
export { lockFindings } from './doctor/lock-findings.ts';
export { describeDrift, type Fingerprint, settingsThatHideTheCheckout } from './drift.ts';
export {
  isAllowed,
  SANDBOX_STATUSES,
  type SandboxCall,
  type SandboxStatus,
  statusAfter,
} from './life-cycle.ts';
export { looksLikeMassDeletion } from './mass-deletion.ts';
export {
  describeOverlap,
  findOverlaps,
  type Overlap,
  type OverlapReason,
  type TargetPath,
} from './overlap.ts';
export { PlanError, type PlanErrorCode } from './plan.errors.ts';
export { enumerated, listed } from './listing.ts';
export { assertIdle, assertReady, assertRestorable, assertReusable } from './plan-readiness.ts';
export {
  advanced,
  appliedDetail,
  type ApplyEventData,
  applyToFinish,
  baseCommitOf,
  keyOf,
  newPlan,
  recorded,
  strategyFor,
} from './plan.ts';
export {
  PLAN_SCHEMA_VERSION,
  type PlanEvent,
  type PlanEventKind,
  type PlanRecord,
  planRecordSchema,
  type PlanStatus,
  type Resource,
} from './plan-record.schema.ts';
export { assertNothingUnkept } from './unkept-work.ts';
export { isExpiredRescue, RESCUE_DAYS, RESCUE_PREFIX, rescueRefName, rescueTime } from './rescue-ref.ts';
export {
  type GitWorktreeMetadata,
  type SandboxContext,
  sandboxContextSchema,
  type SandboxMetadata,
  type SandboxStrategy,
} from './sandbox-context.schema.ts';
export { type SandboxBeginning, SandboxLife } from './sandbox-life.ts';
export { type SandboxState, sandboxStateSchema } from './sandbox-state.schema.ts';
export {
  type SandboxCommitCode,
  SandboxCommitError,
  type SandboxCreationCode,
  SandboxCreationError,
  SandboxError,
  type SandboxErrorCode,
  type SandboxRollbackCode,
  SandboxRollbackError,
  sandboxSourceMissing,
  SandboxStateError,
} from './sandbox.errors.ts';
