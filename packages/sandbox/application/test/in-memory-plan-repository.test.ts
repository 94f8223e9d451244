import { InMemoryPlanRepository } from '@cleveragents/sandbox-application';
import { planRepositoryContract } from '@cleveragents/sandbox-ports/contract';
import { runContract } from '@cleveragents/shared-testing';

runContract(planRepositoryContract, {
  open: () => {
    const plans = new InMemoryPlanRepository();
    return { plans, reopen: () => plans };
  },
});
