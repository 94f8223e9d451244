export { GitSnapshotStore, type GitSnapshotStoreOptions } from './git-snapshot-store.ts';
export type { DamagedSnapshot, StoreInspection } from './store-inspection.ts';
