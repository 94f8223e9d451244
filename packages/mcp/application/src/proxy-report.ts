import type { Side } from '@cleveragents/mcp-domain';

/** Something that happened `count` times in messages of one method. */
export interface Tally {
  readonly method: string;
  readonly count: number;
}

/** What a proxy did. */
export interface ProxyReport {
  /** Messages that came, by the side they came from. */
  readonly messages: Readonly<Record<Side, number>>;
  /** Paths that were rewritten, by the side that reads them. */
  readonly rewritten: Readonly<Record<Side, number>>;
  /** Sandbox paths that reached the host all the same: in the content of files, in URLs, in methods nobody knows. */
  readonly leaks: readonly (Tally & { readonly path: string })[];
  /** Messages that could not be rewritten and were not passed on, by the code of the error. */
  readonly refused: readonly (Tally & { readonly code: string })[];
  /** Requests that got an error because the other side had gone. */
  readonly unanswered: number;
  /** Messages that nobody was there for. */
  readonly undelivered: number;
}

/** Different entries of one list; further ones are left out, so that a talkative server cannot fill the memory. */
const MOST_ENTRIES = 1000;

/** Counts equal things. */
export class TallyList<Detail extends { readonly method: string }> {
  readonly #entries = new Map<string, Detail & Tally>();

  add(detail: Detail): void {
    const key = JSON.stringify(detail);
    const known = this.#entries.get(key);
    if (known === undefined && this.#entries.size >= MOST_ENTRIES) return;
    this.#entries.set(key, { ...detail, count: (known?.count ?? 0) + 1 });
  }

  /** In the order in which each came first. */
  get entries(): readonly (Detail & Tally)[] {
    return [...this.#entries.values()];
  }
}
