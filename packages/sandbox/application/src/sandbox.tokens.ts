import { token, type Token } from '@cleveragents/shared-kernel';
import type { DoctorService } from './doctor-service.ts';
import type { PlanLifecycleService } from './plan-lifecycle-service.ts';

export const PlanLifecycleServiceToken: Token<PlanLifecycleService> = token(
  '@cleveragents/sandbox-application/PlanLifecycleService',
);

export const DoctorServiceToken: Token<DoctorService> = token(
  '@cleveragents/sandbox-application/DoctorService',
);
