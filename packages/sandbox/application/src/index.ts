export { type DoctorParts, type DoctorReport, DoctorService, type RepairOutcome } from './doctor-service.ts';
export { InMemoryPlanRepository } from './in-memory-plan-repository.ts';
export type { ApplyPlan } from './apply-plan.ts';
export {
  type CreatePlan,
  type PlanLifecycleParts,
  PlanLifecycleService,
  type Work,
  type WorkPlace,
} from './plan-lifecycle-service.ts';
export { DoctorServiceToken, PlanLifecycleServiceToken } from './sandbox.tokens.ts';
