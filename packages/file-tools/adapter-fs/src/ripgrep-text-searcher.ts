import { setImmediate } from 'node:timers/promises';
import { parseLiteral, type PathPredicate } from '@cleveragents/file-tools-domain';
import type { SearchOutcome, SearchQuery, TextSearcher } from '@cleveragents/file-tools-ports';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';
import { hasCode, isGitName } from '@cleveragents/shared-kernel';
import { LiteralSearch } from './literal-search.ts';
import { MatchCollector } from './match-collector.ts';
import { filesHolding } from './ripgrep.ts';
import { SearchDeadline } from './search-deadline.ts';
import type { SearchLimits } from './search-limits.ts';
import { DEFAULT_SEARCH_LIMITS } from './search-limits.ts';
import { includedBy } from './included-by.ts';

export interface RipgrepTextSearcherOptions {
  readonly executable: string;
  /** For expressions, whose dialect differs, for whatever ripgrep cannot do, and where it would take longer. */
  readonly otherwise: TextSearcher;
  /**
   * How large files are on average where ripgrep is asked. It goes through bytes faster than any JavaScript; but what it
   * does not tell, which files are too large or of odd names, must be asked of each file besides. Default: 64 KiB.
   */
  readonly averageBytes?: number | undefined;
  readonly limits?: Partial<SearchLimits> | undefined;
}

const AVERAGE_BYTES = 64 * 1024;
/** The first ones of a tree speak for the others: at worst the slower way is taken. */
const ENTRIES_ASKED = 256;

/** Other work of this process gets its turn after this time. */
const MS_PER_TURN = 20;

interface CandidateSearch {
  readonly literal: string;
  /** In the order of the answer. */
  readonly candidates: readonly string[];
  readonly includes: PathPredicate;
  readonly start: string;
  readonly files: RootedFileSystem;
  readonly deadline: SearchDeadline;
  readonly collector: MatchCollector;
}

/**
 * Lets ripgrep find the few files that are worth a look, for literals only. Each is then read below the root and searched
 * as the other searcher would: ripgrep decides nothing, and what it was led to outside is not shown.
 */
export class RipgrepTextSearcher implements TextSearcher {
  readonly #executable: string;
  readonly #otherwise: TextSearcher;
  readonly #averageBytes: number;
  readonly #limits: SearchLimits;

  constructor({
    executable,
    otherwise,
    averageBytes = AVERAGE_BYTES,
    limits = {},
  }: RipgrepTextSearcherOptions) {
    this.#averageBytes = averageBytes;
    this.#executable = executable;
    this.#otherwise = otherwise;
    this.#limits = { ...DEFAULT_SEARCH_LIMITS, ...limits };
  }

  async search(query: SearchQuery, files: RootedFileSystem): Promise<SearchOutcome> {
    // ripgrep compares bytes, and U+FFFD also stands for bytes that are no text.
    if (!query.literal || query.pattern.includes('\ufffd')) return this.#otherwise.search(query, files);
    const deadline = new SearchDeadline(this.#limits.deadlineMs, query.signal);
    const literal = parseLiteral(query.pattern);
    const includes = await includedBy(query, files);
    const start = await files.status(query.directory);
    const directory = start?.type === 'directory' ? await files.hostPath(query.directory) : undefined;
    // Where there is no such directory the other searcher says what is wrong.
    if (directory === undefined || start === undefined) return this.#otherwise.search(query, files);
    if (!(await this.#isFaster(query, files))) return this.#otherwise.search(query, files);
    const [found, unsearched] = await Promise.all([
      this.#found(literal, directory, start.path, deadline),
      this.#unsearched(query, files, deadline),
    ]);
    if (found === undefined) return this.#otherwise.search(query, files);
    const candidates = [...new Set([...found, ...unsearched.paths])].sort((one, other) =>
      one < other ? -1 : 1,
    );
    const collector = new MatchCollector(query);
    await this.#search({ literal, candidates, includes, start: start.path, files, deadline, collector });
    if (unsearched.isIncomplete) collector.markIncomplete();
    return collector.outcome();
  }

  async #isFaster({ directory, signal }: SearchQuery, files: RootedFileSystem): Promise<boolean> {
    if (this.#averageBytes === 0) return true;
    let [count, bytes] = [0, 0];
    const { maxDepth } = this.#limits;
    const few = { recursive: true, maxEntries: ENTRIES_ASKED, maxDepth, signal, sizes: true };
    await files.walk(directory, few).each(({ type, size }) => {
      if (type === 'file') count++;
      bytes += size;
    });
    return bytes > this.#averageBytes * count;
  }

  /** `undefined` when ripgrep could not look at everything. */
  async #found(
    literal: string,
    directory: string,
    start: string,
    deadline: SearchDeadline,
  ): Promise<readonly string[] | undefined> {
    const { maxFileBytes } = this.#limits;
    // A NUL finds the binary files, which are counted.
    const order = { executable: this.#executable, literals: [literal, '\0'], directory, maxFileBytes };
    const run = filesHolding(order);
    const found = await deadline.race(run.files, () => run.stop());
    return found?.map((path) => (start === '' ? path : `${start}/${path}`));
  }

  /** What is counted though ripgrep says nothing of it: what is too large, and names that are no text. */
  async #unsearched(
    { directory, signal }: SearchQuery,
    files: RootedFileSystem,
    deadline: SearchDeadline,
  ): Promise<{ readonly paths: readonly string[]; readonly isIncomplete: boolean }> {
    const { maxEntries, maxDepth, maxFileBytes } = this.#limits;
    const paths: string[] = [];
    const walk = files.walk(directory, { recursive: true, maxEntries, maxDepth, signal, sizes: true });
    await walk.each(({ path, type, size }) => {
      deadline.check();
      if (type === 'file' && (size > maxFileBytes || path.includes('\ufffd'))) paths.push(path);
    });
    return { paths, isIncomplete: walk.truncated };
  }

  async #search(order: CandidateSearch): Promise<void> {
    const { candidates, includes, files, deadline, collector } = order;
    const search = new LiteralSearch(order.literal, collector, this.#limits);
    const isWalked = this.#walkedPaths(order.start, files);
    let pauseAt = performance.now() + MS_PER_TURN;
    for (const path of candidates) {
      deadline.check();
      if (performance.now() > pauseAt) {
        await setImmediate();
        pauseAt = performance.now() + MS_PER_TURN;
      }
      if (!includes(path) || !(await isWalked(path))) continue;
      const bytes = await this.#read(path, files);
      if (bytes !== 'gone') search.visit(path, bytes);
      if (collector.isFull) return;
    }
  }

  /** Whether a walk would come by: not below `.git`, not in another work tree, not too deep. */
  #walkedPaths(start: string, files: RootedFileSystem): (path: string) => Promise<boolean> {
    const known = new Map<string, Promise<boolean>>([[start, Promise.resolve(true)]]);
    const { maxDepth } = this.#limits;
    const isEntered = (directory: string, depth: number): Promise<boolean> => {
      const before = known.get(directory);
      if (before !== undefined) return before;
      const answer = (async (): Promise<boolean> => {
        const name = directory.slice(directory.lastIndexOf('/') + 1);
        if (isGitName(name) || depth > maxDepth || !(await isEntered(parentOf(directory), depth - 1)))
          return false;
        return (await files.entryType(`${directory}/.git`)) === undefined;
      })();
      known.set(directory, answer);
      return answer;
    };
    const startDepth = start === '' ? 0 : start.split('/').length;
    return (path) => isEntered(parentOf(path), path.split('/').length - startDepth);
  }

  async #read(path: string, files: RootedFileSystem): Promise<Uint8Array | undefined | 'gone'> {
    const { maxFileBytes } = this.#limits;
    try {
      const { bytes, status } = await files.read(path, { maxBytes: maxFileBytes });
      return status.path === path ? bytes : 'gone';
    } catch (error) {
      if (hasCode(error, 'PERMISSION_DENIED', 'STORAGE_FAILED', 'FILE_TOO_LARGE')) return undefined;
      if (hasCode(error, 'FILE_NOT_FOUND') && path.includes('\ufffd')) return undefined;
      if (
        hasCode(
          error,
          'FILE_NOT_FOUND',
          'NOT_A_DIRECTORY',
          'NOT_A_REGULAR_FILE',
          'PATH_TRAVERSAL',
          'PATH_INVALID',
        )
      )
        return 'gone';
      throw error;
    }
  }
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}
