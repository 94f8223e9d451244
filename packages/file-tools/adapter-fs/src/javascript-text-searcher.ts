import { parseExpression, parseLiteral, planExpression } from '@cleveragents/file-tools-domain';
import type { SearchOutcome, SearchQuery, TextSearcher } from '@cleveragents/file-tools-ports';
import type { RootedFileSystem, VisitResult } from '@cleveragents/shared-kernel';
import { ExpressionSearch } from './expression-search.ts';
import { ExpressionWorker } from './expression-worker.ts';
import { LiteralSearch } from './literal-search.ts';
import { MatchCollector } from './match-collector.ts';
import { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';
import { DEFAULT_SEARCH_LIMITS } from './search-limits.ts';
import { includedBy } from './included-by.ts';

/** Searches without any other program. Expressions run in a thread, which is stopped when the time is over. */
export class JavaScriptTextSearcher implements TextSearcher {
  readonly #limits: SearchLimits;
  #idleWorker: ExpressionWorker | undefined;

  constructor(limits: Partial<SearchLimits> = {}) {
    this.#limits = { ...DEFAULT_SEARCH_LIMITS, ...limits };
  }

  async search(query: SearchQuery, files: RootedFileSystem): Promise<SearchOutcome> {
    const deadline = new SearchDeadline(this.#limits.deadlineMs, query.signal);
    const collector = new MatchCollector(query);
    if (query.literal) await this.#searchLiteral(query, files, collector, deadline);
    else await this.#searchExpression(query, files, collector, deadline);
    return collector.outcome();
  }

  async #searchLiteral(
    query: SearchQuery,
    files: RootedFileSystem,
    collector: MatchCollector,
    deadline: SearchDeadline,
  ): Promise<void> {
    const search = new LiteralSearch(parseLiteral(query.pattern), collector, this.#limits);
    await this.#visitEach(query, files, collector, deadline, (path, bytes) => search.visit(path, bytes));
  }

  async #searchExpression(
    query: SearchQuery,
    files: RootedFileSystem,
    collector: MatchCollector,
    deadline: SearchDeadline,
  ): Promise<void> {
    const plan = planExpression(parseExpression(query.pattern));
    const worker = this.#takeWorker();
    const search = new ExpressionSearch(plan, worker, collector, this.#limits, deadline);
    try {
      await this.#visitEach(query, files, collector, deadline, (path, bytes) => search.visit(path, bytes));
      await search.finish();
      this.#giveBack(worker);
    } catch (error) {
      worker.stop();
      throw error;
    }
  }

  async #visitEach(
    query: SearchQuery,
    files: RootedFileSystem,
    collector: MatchCollector,
    deadline: SearchDeadline,
    visit: (path: string, bytes: Uint8Array | undefined) => void | Promise<void>,
  ): Promise<void> {
    const includes = await includedBy(query, files);
    const { maxEntries, maxDepth, maxFileBytes } = this.#limits;
    const walk = files.walk(query.directory, { recursive: true, maxEntries, maxDepth, signal: query.signal });
    const stopWhenFull = (): VisitResult => (collector.isFull ? false : undefined);
    await walk.each((entry) => {
      deadline.check();
      if (entry.type !== 'file' || !includes(entry.path)) return undefined;
      const visited = visit(entry.path, entry.read(maxFileBytes + 1));
      return visited === undefined ? stopWhenFull() : visited.then(stopWhenFull);
    });
    if (walk.truncated) collector.markIncomplete();
  }

  /** Starting a thread takes longer than a small search: one is kept. */
  #takeWorker(): ExpressionWorker {
    const idle = this.#idleWorker;
    this.#idleWorker = undefined;
    return idle?.isAlive === true ? idle : new ExpressionWorker();
  }

  #giveBack(worker: ExpressionWorker): void {
    if (this.#idleWorker === undefined) this.#idleWorker = worker;
    else worker.stop();
  }
}
