import { setImmediate as nextTurn } from 'node:timers/promises';
import { SandboxError } from '@cleveragents/sandbox-domain';
import type { CallOptions } from '@cleveragents/sandbox-ports';

const ENTRIES_PER_TURN = 200;

/** Lets synchronous loops be aborted and followed: they call `step` for each entry and wait where it asks them to. */
export class Pace {
  readonly #options: CallOptions;
  #phase = '';
  #done = 0;
  #total: number | null = null;

  constructor(options: CallOptions = {}) {
    this.#options = options;
  }

  begin(phase: string, total: number | null = null): void {
    this.#phase = phase;
    this.#done = 0;
    this.#total = total;
    this.assertGoing();
    this.#tell();
  }

  /** Null most of the time; else a promise to wait for. */
  step(): Promise<void> | null {
    this.#done += 1;
    return this.#done % ENTRIES_PER_TURN === 0 ? this.#rest() : null;
  }

  /** @throws SandboxError `SANDBOX_ABORTED`. */
  assertGoing(): void {
    if (this.#options.signal?.aborted !== true) return;
    throw new SandboxError('SANDBOX_ABORTED', 'The call was aborted', {
      hint: 'Nothing was changed. Call again when you want it done.',
      cause: this.#options.signal.reason,
    });
  }

  async #rest(): Promise<void> {
    this.#tell();
    await nextTurn();
    this.assertGoing();
  }

  #tell(): void {
    this.#options.onProgress?.({ phase: this.#phase, done: this.#done, total: this.#total });
  }
}
