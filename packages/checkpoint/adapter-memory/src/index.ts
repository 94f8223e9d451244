export { InMemoryCheckpointRepository, type InMemoryCheckpoints } from './in-memory-checkpoint-repository.ts';
export { InMemoryCorrectionLog } from './in-memory-correction-log.ts';
export { type InMemoryPlanState, InMemoryPlanStateGuard } from './in-memory-plan-state-guard.ts';
export { InMemorySnapshotStore } from './in-memory-snapshot-store.ts';
export { type InMemoryNode, InMemoryTree } from './in-memory-tree.ts';
