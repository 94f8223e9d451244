import { CodedError } from '@cleveragents/shared-kernel';

/**
 * `LOCK_TIMEOUT`: somebody else held the lock all the while. `LOCK_LOST`: it was removed under its holder, by hand or by
 * another program, so that a second holder is possible.
 */
export type DirectoryLockErrorCode = 'LOCK_TIMEOUT' | 'LOCK_LOST';

export class DirectoryLockError extends CodedError<DirectoryLockErrorCode> {}
