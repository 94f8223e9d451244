import type { OperationOptions, Progress } from '@cleveragents/git-ports';
import { Deadline } from './deadline.ts';

const FILES_A_BREATH = 200;
const PROGRESS_INTERVAL_MS = 100;

/** Keeps a long synchronous loop answerable: every 200 files it lets others run, and looks at the deadline and the signal. */
export class Pace {
  readonly deadline: Deadline;
  readonly #onProgress: OperationOptions['onProgress'];
  #phase: Progress['phase'];
  #total: number | null = null;
  #done = 0;
  #reportedAt = 0;

  constructor(phase: Progress['phase'], { timeoutMs, signal, onProgress }: PaceOptions = {}) {
    this.#phase = phase;
    this.deadline = new Deadline({ timeoutMs, signal });
    this.#onProgress = onProgress;
  }

  begin(phase: Progress['phase'], total: number | null): void {
    this.#phase = phase;
    this.#total = total;
    this.#done = 0;
  }

  /** Counts one file. True: call `breathe` before the next one. */
  step(): boolean {
    this.#done += 1;
    return this.#done % FILES_A_BREATH === 0;
  }

  /** @throws GitError `GIT_ABORTED`, `GIT_TIMEOUT`. */
  async breathe(): Promise<void> {
    const now = performance.now();
    if (this.#onProgress !== undefined && now - this.#reportedAt >= PROGRESS_INTERVAL_MS) {
      this.#reportedAt = now;
      this.#onProgress({ phase: this.#phase, done: this.#done, total: this.#total });
    }
    await this.deadline.breathe();
  }
}

export interface PaceOptions extends OperationOptions {
  readonly timeoutMs?: number | undefined;
}
