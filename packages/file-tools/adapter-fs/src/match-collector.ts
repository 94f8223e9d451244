import type { LineHit, SearchMatch } from '@cleveragents/file-tools-domain';
import { presentHits } from '@cleveragents/file-tools-domain';
import type { SearchOutcome, SearchQuery } from '@cleveragents/file-tools-ports';

/** Gathers matches, file by file in the order of their paths, until there are enough. */
export class MatchCollector {
  readonly #query: SearchQuery;
  readonly #matches: SearchMatch[] = [];
  #skipped = 0;
  #truncated = false;

  constructor(query: SearchQuery) {
    this.#query = query;
  }

  /** One more than are shown, to know whether there are more. */
  get wanted(): number {
    return this.#query.maxResults + 1 - this.#matches.length;
  }

  get isFull(): boolean {
    return this.#truncated;
  }

  add(path: string, text: string, hits: readonly LineHit[]): void {
    const room = this.#query.maxResults - this.#matches.length;
    this.#matches.push(...presentHits(path, text, hits.slice(0, room), this.#query.context));
    if (hits.length > room) this.#truncated = true;
  }

  skip(path: string): void {
    // A name that is no valid text cannot be opened by what was made of it, nor told to anybody.
    if (!path.includes('\ufffd')) this.#skipped++;
  }

  markTruncated(): void {
    this.#truncated = true;
  }

  outcome(): SearchOutcome {
    return { matches: this.#matches, truncated: this.#truncated, skipped: this.#skipped };
  }
}
