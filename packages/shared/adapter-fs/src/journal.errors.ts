import { CodedError } from '@cleveragents/shared-kernel';

/** `JOURNAL_DAMAGED`: an entry's files do not say what a journal wrote, which no crash brings about. */
export type JournalErrorCode = 'JOURNAL_DAMAGED';

export class JournalError extends CodedError<JournalErrorCode> {}
