import { expect, it } from '@jest/globals';
import { Container } from 'inversify';
import {
  CheckpointService,
  CheckpointServiceToken,
  CorrectionService,
  CorrectionServiceToken,
} from '@cleveragents/checkpoint-application';
import { checkpointModule } from '@cleveragents/checkpoint-application/container';
import {
  CheckpointRepositoryToken,
  CorrectionLogToken,
  PlanStateGuardToken,
  SnapshotStoreToken,
} from '@cleveragents/checkpoint-ports';
import { ClockToken, IdGeneratorToken } from '@cleveragents/shared-kernel';
import { FixedClock, SeededIds } from '@cleveragents/shared-testing';
import { inMemoryPlan } from './in-memory-plan.ts';

it('the container module resolves both services, one of each', () => {
  const parts = inMemoryPlan();
  const container = new Container();
  container.bind(CheckpointRepositoryToken).toConstantValue(parts.repository);
  container.bind(SnapshotStoreToken).toConstantValue(parts.snapshots);
  container.bind(PlanStateGuardToken).toConstantValue(parts.guard);
  container.bind(CorrectionLogToken).toConstantValue(parts.log);
  container.bind(IdGeneratorToken).toConstantValue(new SeededIds());
  container.bind(ClockToken).toConstantValue(new FixedClock());
  container.load(checkpointModule);
  const service = container.get<CheckpointService>(CheckpointServiceToken);
  expect(service).toBeInstanceOf(CheckpointService);
  expect(container.get(CheckpointServiceToken)).toBe(service);
  expect(container.get<CorrectionService>(CorrectionServiceToken).hasCheckpointSupport).toBe(true);
});
