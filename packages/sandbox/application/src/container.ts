import { ClockToken, provide } from '@cleveragents/shared-kernel';
import { HealthChecksToken, PlanRepositoryToken, SandboxFactoriesToken } from '@cleveragents/sandbox-ports';
import { ContainerModule } from 'inversify';
import { DoctorService } from './doctor-service.ts';
import { PlanLifecycleService } from './plan-lifecycle-service.ts';
import { DoctorServiceToken, PlanLifecycleServiceToken } from './sandbox.tokens.ts';

/**
 * Binds {@link PlanLifecycleService} and {@link DoctorService}. The container must bind a plan repository, the sandbox factories and a
 * clock; for the doctor also the health checks of others, which may be none.
 */
export const sandboxModule: ContainerModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    PlanLifecycleServiceToken,
    (plans, sandboxes, clock) => new PlanLifecycleService({ plans, sandboxes, clock }),
    [PlanRepositoryToken, SandboxFactoriesToken, ClockToken],
  );
  provide(
    bind,
    DoctorServiceToken,
    (plans, sandboxes, clock, checks) => new DoctorService({ plans, sandboxes, clock, checks }),
    [PlanRepositoryToken, SandboxFactoriesToken, ClockToken, HealthChecksToken],
  );
});
