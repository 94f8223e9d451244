import {
  CheckpointRepositoryToken,
  CorrectionLogToken,
  PlanStateGuardToken,
  SnapshotStoreToken,
} from '@cleveragents/checkpoint-ports';
import { ClockToken, IdGeneratorToken, type Token } from '@cleveragents/shared-kernel';
import { ContainerModule, type ContainerModuleLoadOptions } from 'inversify';
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
    [CheckpointRepositoryToken, SnapshotStoreToken, PlanStateGuardToken, IdGeneratorToken, ClockToken],
    (repository, snapshots, plans, ids, clock) =>
      new CheckpointService({ repository, snapshots, plans, ids, clock }),
  );
  provide(
    bind,
    CorrectionServiceToken,
    [CheckpointServiceToken, CorrectionLogToken, IdGeneratorToken, ClockToken],
    (checkpoints, corrections, ids, clock) => new CorrectionService({ checkpoints, corrections, ids, clock }),
  );
});

/** inversify takes any tokens for any parameters; here each token is checked against its parameter. */
function provide<Service, Parts extends readonly unknown[]>(
  bind: ContainerModuleLoadOptions['bind'],
  service: Token<Service>,
  tokens: { readonly [Index in keyof Parts]: Token<Parts[Index]> },
  make: (...parts: Parts) => Service,
): void {
  bind<Service>(service)
    .toResolvedValue((...parts: unknown[]) => make(...(parts as unknown as Parts)), [...tokens])
    .inSingletonScope();
}
