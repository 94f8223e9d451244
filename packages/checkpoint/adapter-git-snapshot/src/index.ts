export {
  type DamagedSnapshot,
  GitSnapshotStore,
  type GitSnapshotStoreOptions,
} from './git-snapshot-store.ts';
