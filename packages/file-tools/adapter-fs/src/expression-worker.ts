import type { ExpressionPlan } from '@cleveragents/file-tools-domain';
import { Worker } from 'node:worker_threads';
import { EXPRESSION_WORKER_SOURCE } from './expression-worker-source.ts';

export interface ExpressionBatch {
  readonly plan: ExpressionPlan;
  /** The contents of files, one after the other. */
  readonly buffer: ArrayBuffer;
  /** Where each of them ends. */
  readonly ends: readonly number[];
  readonly most: number;
}

export interface ExpressionResults {
  /** The one that was sent, which was away meanwhile. */
  readonly buffer: ArrayBuffer;
  /** By the number of the file, four numbers a hit: line, start and end of the line, start of the match. */
  readonly results: ReadonlyMap<number, readonly number[]>;
}

/** A thread that runs expressions, so that one which never ends can be stopped. Keeps no process alive. */
export class ExpressionWorker {
  readonly #worker: Worker;
  readonly #waiting: { resolve(results: ExpressionResults): void; reject(error: unknown): void }[] = [];
  #failure: unknown;

  constructor() {
    this.#worker = new Worker(EXPRESSION_WORKER_SOURCE, {
      eval: true,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.#worker.on('message', (results: ExpressionResults) => this.#waiting.shift()?.resolve(results));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The search thread has ended')));
    this.#worker.unref();
  }

  get isAlive(): boolean {
    return this.#failure === undefined;
  }

  /** Takes the buffer over. Answers come in the order of the calls. */
  run({ plan, buffer, ends, most }: ExpressionBatch): Promise<ExpressionResults> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure as Error);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage({ plan, buffer, ends, most }, [buffer]);
    });
  }

  stop(): void {
    this.#fail(new Error('The search thread was stopped'));
    void this.#worker.terminate();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
