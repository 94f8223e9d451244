import { parseExpression, parseLiteral } from '@cleveragents/file-tools-domain';
import type { SearchOutcome, SearchQuery, TextSearcher } from '@cleveragents/file-tools-ports';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';
import { ExpressionSearch } from './expression-search.ts';
import { ExpressionWorker } from './expression-worker.ts';
import { LiteralSearch } from './literal-search.ts';
import { MatchCollector } from './match-collector.ts';
import { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';
import { DEFAULT_SEARCH_LIMITS } from './search-limits.ts';
import { includedBy, SearchedFiles } from './searched-files.ts';

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
    const search = new LiteralSearch(parseLiteral(query.pattern), collector, this.#limits, deadline);
    await this.#visitEach(query, files, collector, deadline, (path, bytes) =>
      search.visit(path, bytes, files),
    );
  }

  async #searchExpression(
    query: SearchQuery,
    files: RootedFileSystem,
    collector: MatchCollector,
    deadline: SearchDeadline,
  ): Promise<void> {
    const expression = parseExpression(query.pattern);
    const worker = this.#takeWorker();
    const search = new ExpressionSearch(expression, worker, collector, this.#limits, deadline);
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
    visit: (path: string, bytes: Uint8Array | undefined) => Promise<void>,
  ): Promise<void> {
    const searched = new SearchedFiles(query, files, this.#limits, await includedBy(query, files));
    for await (const entry of searched) {
      deadline.check();
      await visit(entry.path, entry.read(this.#limits.maxFileBytes + 1));
      if (collector.isFull) return;
    }
    if (searched.truncated) collector.markTruncated();
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
