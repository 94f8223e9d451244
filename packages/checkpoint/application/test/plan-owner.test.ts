import { expect, it } from '@jest/globals';
import { InMemoryCheckpointRepository } from '@cleveragents/checkpoint-adapter-memory';
import { CheckpointService } from '@cleveragents/checkpoint-application';
import { InMemoryPlanRepository, PlanLifecycleService } from '@cleveragents/sandbox-application';
import { FixedClock } from '@cleveragents/shared-testing';

it('takes the service that owns the plans for a guard as it is', async () => {
  const plans = new PlanLifecycleService({
    plans: new InMemoryPlanRepository(),
    sandboxes: [],
    clock: new FixedClock(),
  });
  const service = new CheckpointService({ repository: new InMemoryCheckpointRepository(), plans });
  const { checkpoint } = await service.createCheckpoint({ planId: 'unknown there', sandboxRef: 'ref' });
  await expect(service.rollbackToCheckpoint('unknown there', checkpoint.checkpointId)).rejects.toMatchObject({
    code: 'ROLLBACK_SANDBOX_MISSING',
  });
});
