import {
  CheckpointRepositoryToken,
  CorrectionLogToken,
  PlanStateGuardToken,
  SnapshotStoreToken,
} from '@cleveragents/checkpoint-ports';
import { ClockToken, IdGeneratorToken, provide } from '@cleveragents/shared-kernel';
import { ContainerModule } from 'inversify';
import { CheckpointService } from './checkpoint-service.ts';
import { CheckpointServiceToken, CorrectionServiceToken } from './checkpoint.tokens.ts';
import { CorrectionService } from './correction-service.ts';

/**
 * Binds {@link CheckpointService} and {@link CorrectionService}. The container must bind a checkpoint repository, a snapshot
 * store, a plan state guard, a correction log, a clock and an id generator.
 */
export const checkpointModule: ContainerModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    CheckpointServiceToken,
    (repository, snapshots, plans, ids, clock) =>
      new CheckpointService({ repository, snapshots, plans, ids, clock }),
    [CheckpointRepositoryToken, SnapshotStoreToken, PlanStateGuardToken, IdGeneratorToken, ClockToken],
  );
  provide(
    bind,
    CorrectionServiceToken,
    (checkpoints, corrections, ids, clock) => new CorrectionService({ checkpoints, corrections, ids, clock }),
    [CheckpointServiceToken, CorrectionLogToken, IdGeneratorToken, ClockToken],
  );
});
