import { token, type Token } from '@cleveragents/shared-kernel';
import type { PlanLifecycleService } from './plan-lifecycle-service.ts';

export const PlanLifecycleServiceToken: Token<PlanLifecycleService> = token(
  '@cleveragents/sandbox-application/PlanLifecycleService',
);
