import type { Contract } from '@cleveragents/shared-kernel';
import { snapshotCaptureCases } from './snapshot-capture.cases.ts';
import { snapshotRestoreCases } from './snapshot-restore.cases.ts';
import type { SnapshotStoreSubject } from './snapshot-workspace.ts';

export const snapshotStoreContract: Contract<SnapshotStoreSubject> = {
  name: 'SnapshotStore',
  cases: [...snapshotCaptureCases, ...snapshotRestoreCases],
};
