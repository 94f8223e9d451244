import { availableParallelism } from 'node:os';
import { SearchThread } from './search-thread.ts';

/** More would wait for the one that walks. */
const MOST_THREADS = 4;

/** Starting a thread takes longer than a small search: those that are done are kept for the next one, by whomever. */
export class SearchThreads {
  /** For one search. */
  readonly most = Math.min(MOST_THREADS, availableParallelism());
  readonly #idle: SearchThread[] = [];

  take(): SearchThread {
    for (let thread = this.#idle.pop(); thread !== undefined; thread = this.#idle.pop())
      if (thread.isAlive) return thread;
    return new SearchThread();
  }

  /** Resolves when it does nothing any more: one that is still at work is stopped. */
  async giveBack(thread: SearchThread): Promise<void> {
    if (thread.isAlive && thread.orders === 0 && this.#idle.length < this.most) this.#idle.push(thread);
    else await thread.stop();
  }
}

/** One for the process: searchers come and go with their roots, and nobody says when. */
export const searchThreads = new SearchThreads();
