export {
  SandboxCommitError,
  SandboxCreationError,
  SandboxError,
  SandboxRollbackError,
  SandboxStateError,
} from '@cleveragents/sandbox-domain';
export { type HealthCheck, HealthChecksToken } from './health-check.ts';
export { type PlanListing, type PlanRepository, PlanRepositoryToken } from './plan-repository.ts';
export { PlanStoreError, type PlanStoreErrorCode } from './plan-store.errors.ts';
export { SandboxFactoriesToken } from './sandbox.tokens.ts';
export type {
  CallOptions,
  CleanupResult,
  CommitOptions,
  CommitPreview,
  CreateOptions,
  RefreshResult,
  RescuedWork,
  RollbackOptions,
  RollbackResult,
  Sandbox,
  SandboxChanges,
  SandboxConflict,
  SandboxFactory,
  SandboxProgress,
} from './sandbox.ts';
