import { InMemoryCheckpointRepository } from '@cleveragents/checkpoint-adapter-memory';
import { CheckpointService } from '@cleveragents/checkpoint-application';
import type { CheckpointRepository, SnapshotStore } from '@cleveragents/checkpoint-ports';

export const PLAN = 'the plan';

/** A checkpoint service over a store and a sandbox on disk. */
export function serviceFor(
  snapshots: SnapshotStore,
  root: string,
  repository: CheckpointRepository = new InMemoryCheckpointRepository(),
): CheckpointService {
  const service = new CheckpointService({ repository, snapshots });
  service.registerSandbox(PLAN, root);
  return service;
}
