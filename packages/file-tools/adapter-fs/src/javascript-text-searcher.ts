import type { ExpressionPlan } from '@cleveragents/file-tools-domain';
import { parseExpression, parseLiteral, planExpression, planLiteral } from '@cleveragents/file-tools-domain';
import type { SearchOutcome, SearchQuery, TextSearcher } from '@cleveragents/file-tools-ports';
import type { RootedFileSystem, VisitResult, WalkEntry } from '@cleveragents/shared-kernel';
import { includedBy } from './included-by.ts';
import { LiteralSearch } from './literal-search.ts';
import { MatchCollector } from './match-collector.ts';
import { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';
import { DEFAULT_SEARCH_LIMITS } from './search-limits.ts';
import { searchThreads } from './search-threads.ts';
import { ThreadedSearch, type ThreadedSearchParts } from './threaded-search.ts';

/** To read so many takes as long as to start a thread. */
const FILES_READ_HERE = 256;

interface Search extends Pick<ThreadedSearchParts, 'collector' | 'deadline'> {
  readonly query: SearchQuery;
  readonly files: RootedFileSystem;
}

type Visit = (entry: WalkEntry) => void | Promise<void>;

/**
 * Searches without any other program. Where there are many files, threads read and search them; expressions always run in a
 * thread, which is stopped when the time is over.
 */
export class JavaScriptTextSearcher implements TextSearcher {
  readonly #limits: SearchLimits;

  constructor(limits: Partial<SearchLimits> = {}) {
    this.#limits = { ...DEFAULT_SEARCH_LIMITS, ...limits };
  }

  async search(query: SearchQuery, files: RootedFileSystem): Promise<SearchOutcome> {
    const deadline = new SearchDeadline(this.#limits.deadlineMs, query.signal);
    const collector = new MatchCollector(query);
    const search = { query, files, collector, deadline };
    if (query.literal) await this.#searchLiteral(search);
    else await this.#searchExpression(search);
    return collector.outcome();
  }

  async #searchLiteral(search: Search): Promise<void> {
    const literal = parseLiteral(search.query.pattern);
    const here = new LiteralSearch(literal, search.collector, this.#limits);
    const visitHere = (entry: WalkEntry): void =>
      here.visit(entry.path, entry.read(this.#limits.maxFileBytes + 1));
    if (!here.canFilter) return this.#visitEach(search, visitHere);
    await this.#searchInThreads(search, planLiteral(literal), (threaded) => {
      let filesHere = 0;
      return (entry) => (filesHere++ < FILES_READ_HERE ? visitHere(entry) : threaded.visit(entry));
    });
  }

  async #searchExpression(search: Search): Promise<void> {
    const plan = planExpression(parseExpression(search.query.pattern));
    await this.#searchInThreads(search, plan, (threaded) => {
      // Without a literal all of them must go to a thread.
      let left = plan.literal === undefined ? 0 : FILES_READ_HERE;
      return (entry) => (left-- > 0 ? threaded.visitHere(entry) : threaded.visit(entry));
    });
  }

  async #searchInThreads(
    search: Search,
    plan: ExpressionPlan,
    visitorOf: (threaded: ThreadedSearch) => Visit,
  ): Promise<void> {
    const { collector, deadline } = search;
    const parts = { plan, collector, deadline, threads: searchThreads, limits: this.#limits };
    const threaded = new ThreadedSearch(parts);
    try {
      await this.#visitEach(search, visitorOf(threaded));
      await threaded.finish();
    } finally {
      await threaded.close();
    }
  }

  async #visitEach({ query, files, collector, deadline }: Search, visit: Visit): Promise<void> {
    const includes = await includedBy(query, files);
    const { maxEntries, maxDepth } = this.#limits;
    const walk = files.walk(query.directory, { recursive: true, maxEntries, maxDepth, signal: query.signal });
    const stopWhenFull = (): VisitResult => (collector.isFull ? false : undefined);
    await walk.each((entry) => {
      deadline.check();
      if (entry.type !== 'file' || !includes(entry.path)) return undefined;
      const visited = visit(entry);
      return visited === undefined ? stopWhenFull() : visited.then(stopWhenFull);
    });
    if (walk.truncated) collector.markIncomplete();
  }
}
