import { ClockToken, provide } from '@cleveragents/shared-kernel';
import { PlanRepositoryToken, SandboxFactoriesToken } from '@cleveragents/sandbox-ports';
import { ContainerModule } from 'inversify';
import { PlanLifecycleService } from './plan-lifecycle-service.ts';
import { PlanLifecycleServiceToken } from './sandbox.tokens.ts';

/** Binds {@link PlanLifecycleService}. The container must bind a plan repository, the sandbox factories and a clock. */
export const sandboxModule: ContainerModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    PlanLifecycleServiceToken,
    (plans, sandboxes, clock) => new PlanLifecycleService({ plans, sandboxes, clock }),
    [PlanRepositoryToken, SandboxFactoriesToken, ClockToken],
  );
});
