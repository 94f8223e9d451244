import type { LineHit, SearchMatch } from '@cleveragents/file-tools-domain';
import { presentHits } from '@cleveragents/file-tools-domain';
import type { SearchOutcome, SearchQuery } from '@cleveragents/file-tools-ports';

/** Gathers matches, file by file in the order of their paths, until there are enough. */
export class MatchCollector {
  readonly #query: SearchQuery;
  readonly #matches: SearchMatch[] = [];
  #skipped = 0;
  #isFull = false;
  #isIncomplete = false;

  constructor(query: SearchQuery) {
    this.#query = query;
  }

  /** One more than are shown, to know whether there are more. */
  get wanted(): number {
    return this.#query.maxResults + 1 - this.#matches.length;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** How many lines to show around each. */
  get context(): number {
    return this.#query.context;
  }

  /** @param hits of one file, up to as many as are wanted; only those that are shown are presented */
  add(hits: readonly LineHit[], present: (hit: LineHit) => SearchMatch): void {
    const room = this.#query.maxResults - this.#matches.length;
    for (const hit of hits.slice(0, room)) this.#matches.push(present(hit));
    if (hits.length > room) this.#isFull = true;
  }

  addFromText(path: string, text: string, hits: readonly LineHit[]): void {
    this.add(hits, (hit) => presentHits(path, text, [hit], this.context)[0] as SearchMatch);
  }

  skip(): void {
    this.#skipped++;
  }

  /** There are files that were not looked at; what was found in others still counts. */
  markIncomplete(): void {
    this.#isIncomplete = true;
  }

  outcome(): SearchOutcome {
    const truncated = this.#isFull || this.#isIncomplete;
    return { matches: this.#matches, truncated, skipped: this.#skipped };
  }
}
