export { syncDirectory, sweepTemporaryFiles, writeFileAtomically, type AtomicWrite } from './atomic-file.ts';
export { DirectoryLockError, type DirectoryLockErrorCode } from './directory-lock.errors.ts';
export {
  breakStaleLock,
  inspectLock,
  withDirectoryLock,
  type HeldLock,
  type LockOptions,
} from './directory-lock.ts';
export type { LockHolder } from './lock-folder.ts';
export {
  isProcessAlive,
  parseProcessMark,
  processIdentity,
  processMark,
  processState,
  type ProcessIdentity,
  type ProcessState,
} from './process-identity.ts';
export { stateDirectory } from './state-directory.ts';
export { SystemClock } from './system-clock.ts';
export { UlidGenerator } from './ulid-generator.ts';
