export { InMemoryPlanRepository } from './in-memory-plan-repository.ts';
export type { ApplyPlan } from './apply-plan.ts';
export {
  type CreatePlan,
  type PlanLifecycleParts,
  PlanLifecycleService,
  type Work,
  type WorkPlace,
} from './plan-lifecycle-service.ts';
export { PlanLifecycleServiceToken } from './sandbox.tokens.ts';
