import { GitError } from '@cleveragents/git-ports';

export interface DeadlineOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** When an operation has to end. Synchronous loops ask it every so often: no timer fires while they run. */
export class Deadline {
  readonly signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #end: number;

  /** Begins now. */
  constructor({ timeoutMs = Number.POSITIVE_INFINITY, signal }: DeadlineOptions = {}) {
    this.signal = signal;
    this.#timeoutMs = timeoutMs;
    this.#end = performance.now() + timeoutMs;
  }

  /** Never below zero. */
  get remainingMs(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** @throws GitError `GIT_ABORTED`, `GIT_TIMEOUT`. */
  check(): void {
    if (this.signal?.aborted)
      throw new GitError('GIT_ABORTED', 'the operation was aborted', { cause: this.signal.reason });
    if (performance.now() < this.#end) return;
    throw new GitError('GIT_TIMEOUT', `the operation took longer than ${this.#timeoutMs} ms`, {
      hint: 'Give a longer timeout.',
      data: { timeoutMs: this.#timeoutMs },
    });
  }

  /** Lets the event loop turn once, then checks. */
  async breathe(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.check();
  }
}
