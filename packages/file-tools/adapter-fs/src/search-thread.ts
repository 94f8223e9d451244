import type { ExpressionPlan } from '@cleveragents/file-tools-domain';
import { Worker } from 'node:worker_threads';
import { SEARCH_THREAD_PROGRAM } from './search-thread-program.ts';

export interface SearchOrder {
  readonly plan: ExpressionPlan;
  /**
   * The address of a file that was lent, a place in the contents such as `0-4096`, or nothing for a file that nobody could
   * read; with a NUL between two of them. One text, because many take longer to send than to read what they name.
   */
  readonly files: string;
  /** Away until the answer. */
  readonly contents: ArrayBuffer | undefined;
  readonly maxFileBytes: number;
  /** How many lines to show around each. */
  readonly context: number;
  /** How many lines are wanted. */
  readonly most: number;
}

export interface FoundFile {
  /** Its number in the order. */
  readonly index: number;
  /** Four for each line that matches: its number in the file, its start, its end, and the column of the match, from 0. */
  readonly numbers: readonly number[];
  /** Whether a line's start and end count bytes of UTF-8; else they count what the text of the file is made of. */
  readonly areBytes: boolean;
  /** The lines that are shown, of which the numbers speak; without `areBytes` the whole file. */
  readonly bytes: Uint8Array;
}

export interface SearchAnswer {
  /** Those after this many were not looked at: what was found in the others was enough for one answer. */
  readonly done: number;
  /** Binary, unreadable or larger than is searched; ascending. */
  readonly skipped: readonly number[];
  /** Ascending. */
  readonly found: readonly FoundFile[];
  readonly contents: ArrayBuffer | undefined;
}

/** A thread that searches, so that an expression which never ends can be stopped. Keeps no process alive. */
export class SearchThread {
  readonly #worker: Worker;
  readonly #waiting: { resolve(answer: SearchAnswer): void; reject(error: unknown): void }[] = [];
  #failure: unknown;

  constructor() {
    this.#worker = new Worker(SEARCH_THREAD_PROGRAM, {
      eval: true,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#worker.on('message', (answer: SearchAnswer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The search thread has ended')));
    this.#worker.unref();
  }

  get isAlive(): boolean {
    return this.#failure === undefined;
  }

  /** How many orders it has not answered. */
  get orders(): number {
    return this.#waiting.length;
  }

  /** Answers come in the order of the calls. */
  run(order: SearchOrder): Promise<SearchAnswer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure as Error);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(order, order.contents === undefined ? [] : [order.contents]);
    });
  }

  /** Resolves when it reads nothing any more. Orders without an answer fail for that reason. */
  async stop(reason: unknown = new Error('The search thread was stopped')): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
