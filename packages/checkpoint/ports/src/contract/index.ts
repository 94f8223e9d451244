export {
  type CheckpointRepositoryCapability,
  checkpointRepositoryContract,
  type CheckpointRepositorySubject,
} from './checkpoint-repository.contract.ts';
export { correctionLogContract } from './correction-log.contract.ts';
export { snapshotStoreContract } from './snapshot-store.contract.ts';
export type { SnapshotStoreSubject, SnapshotWorkspace } from './snapshot-workspace.ts';
