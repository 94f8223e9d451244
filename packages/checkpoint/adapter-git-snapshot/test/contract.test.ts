import { snapshotStoreContract } from '@cleveragents/checkpoint-ports/contract';
import { runContract } from '@cleveragents/shared-testing';
import { type DiskSubject, diskSubject } from './support/disk-workspace.ts';

runContract(snapshotStoreContract, {
  open: () => diskSubject(),
  close: (subject) => (subject as DiskSubject).close(),
});
