/** What an error can say beyond its message. */
export interface ErrorDetails {
  /** The next step, for the person who reads the error: what to type or to change. */
  readonly hint?: string | undefined;
  /** The facts, for programs: JSON values only. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/** In the registry of the whole process, so that the copies of this package know each other's errors. */
const CODED = Symbol.for('@cleveragents/shared-kernel/CodedError');

/**
 * An error that a caller can act on. `code` is stable across versions and is what callers switch on;
 * the message is for people and may change.
 */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;

  static {
    Object.defineProperty(this.prototype, CODED, { value: true });
  }

  constructor(code: Code, message: string, { hint, data, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
    this.data = data ?? {};
  }
}

/** Input that can never be right. Nothing has been read or written when it is thrown. */
export class ValidationError extends CodedError<'VALIDATION_FAILED'> {
  constructor(message: string, details?: ErrorDetails) {
    super('VALIDATION_FAILED', message, details);
  }
}

/** Whether this is a {@link CodedError}, of this copy of the package or another. */
export function isCodedError(error: unknown): error is CodedError {
  return typeof error === 'object' && error !== null && CODED in error;
}

/**
 * Whether `error` carries `code`. Use it rather than `instanceof`, which fails between two copies of a package
 * and between Jest realms. Knows Node's own codes (`ENOENT`) too.
 */
export function hasCode<Code extends string>(
  error: unknown,
  ...codes: readonly Code[]
): error is Error & { code: Code } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    codes.includes((error as { code: Code }).code)
  );
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
