export {
  syncDirectory,
  sweepTemporaryFiles,
  temporaryName,
  writeFileAtomically,
  type AtomicWrite,
} from './atomic-file.ts';
export { DirectoryLockError, type DirectoryLockErrorCode } from './directory-lock.errors.ts';
export {
  breakStaleLock,
  inspectLock,
  inspectLocks,
  withDirectoryLock,
  type HeldLock,
  type LockOptions,
} from './directory-lock.ts';
export {
  createFile,
  putInPlace,
  replaceFile,
  syncFolder,
  writeNewFile,
  type Durability,
} from './durable-file.ts';
export type { JournalEntry } from './journal-entry.ts';
export { JournalError, type JournalErrorCode } from './journal.errors.ts';
export { openJournal, type Journal, type JournalOptions } from './journal.ts';
export { LENT_FILE_PROGRAM } from './lent-file-program.ts';
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
export { removeTree, type Removal, type RemoveTree } from './remove-tree.ts';
export { stateDirectory, stateDirectoryPath } from './state-directory.ts';
export { SystemClock } from './system-clock.ts';
export { UlidGenerator } from './ulid-generator.ts';
export { openRootedFileSystem, type RootedFileSystemOptions } from './rooted-file-system.ts';
export { nodeCalls, type SystemCalls } from './rooted-calls.ts';
