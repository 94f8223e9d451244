export { GitSnapshotStore, type GitSnapshotStoreOptions } from './git-snapshot-store.ts';
