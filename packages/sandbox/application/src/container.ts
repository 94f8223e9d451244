import { type Clock, ClockToken } from '@cleveragents/shared-kernel';
import {
  type PlanRepository,
  PlanRepositoryToken,
  SandboxFactoriesToken,
  type SandboxFactory,
} from '@cleveragents/sandbox-ports';
import { ContainerModule } from 'inversify';
import { PlanLifecycleService } from './plan-lifecycle-service.ts';
import { PlanLifecycleServiceToken } from './sandbox.tokens.ts';

/** Binds {@link PlanLifecycleService}. The container must bind a plan repository, the sandbox factories and a clock. */
export const sandboxModule: ContainerModule = new ContainerModule(({ bind }) => {
  bind(PlanLifecycleServiceToken)
    .toResolvedValue(
      (plans: PlanRepository, sandboxes: readonly SandboxFactory[], clock: Clock) =>
        new PlanLifecycleService({ plans, sandboxes, clock }),
      [PlanRepositoryToken, SandboxFactoriesToken, ClockToken],
    )
    .inSingletonScope();
});
