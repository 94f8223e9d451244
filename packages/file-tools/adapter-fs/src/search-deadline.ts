import { FileToolError } from '@cleveragents/file-tools-domain';

/** The time that one search has, and its caller's wish to end it. */
export class SearchDeadline {
  readonly #deadlineMs: number;
  readonly #started = performance.now();
  readonly #signal: AbortSignal | undefined;

  constructor(deadlineMs: number, signal?: AbortSignal) {
    this.#deadlineMs = deadlineMs;
    this.#signal = signal;
  }

  get remainingMs(): number {
    return Math.max(0, this.#deadlineMs - (performance.now() - this.#started));
  }

  /** @throws FileToolError `SEARCH_TIMEOUT`; the signal's reason */
  check(): void {
    this.#signal?.throwIfAborted();
    if (this.remainingMs === 0) throw this.exceeded();
  }

  exceeded(): FileToolError {
    return new FileToolError(
      'SEARCH_TIMEOUT',
      `The search did not end within ${this.#deadlineMs / 1000} ${this.#deadlineMs === 1000 ? 'second' : 'seconds'}`,
      {
        hint: 'Search a smaller directory, use include, or make the expression simpler: nested repetitions such as (a+)+ take exponential time.',
      },
    );
  }

  /** `work`, or its failure when the time is over; `stop` then ends what is still going on, for the reason that it is given. */
  async race<Result>(work: Promise<Result>, stop: (reason: unknown) => void): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.exceeded()), this.remainingMs);
      onAbort = () => reject(this.#signal?.reason as Error);
      this.#signal?.addEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([work, end]);
    } catch (error) {
      stop(error);
      throw error;
    } finally {
      clearTimeout(timer);
      if (onAbort !== undefined) this.#signal?.removeEventListener('abort', onAbort);
    }
  }
}
