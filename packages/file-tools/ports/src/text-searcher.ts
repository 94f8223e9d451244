import type { SearchMatch } from '@cleveragents/file-tools-domain';
import type { RootedFileSystem, Token } from '@cleveragents/shared-kernel';
import { token } from '@cleveragents/shared-kernel';

export interface SearchQuery {
  /** The directory to search, relative to the root. */
  readonly directory: string;
  /** A JavaScript regular expression for a line, or plain text of one line. */
  readonly pattern: string;
  readonly literal: boolean;
  /** A glob, relative to `directory`. */
  readonly include?: string | undefined;
  /** Lines to give before and after each match. */
  readonly context: number;
  readonly maxResults: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchOutcome {
  /** One a line, sorted by path, as `<` orders strings, then by line. */
  readonly matches: readonly SearchMatch[];
  /** There are more. */
  readonly truncated: boolean;
  /**
   * Up to the last match, how many files were left out: binary, unreadable, larger than is searched, or of a name that is
   * no text.
   */
  readonly skipped: number;
}

/**
 * Finds lines in the files below a root. Reads only through the `RootedFileSystem`, never follows links, leaves out
 * `.git` and other work trees. Whoever implements it, the results are the same.
 */
export interface TextSearcher {
  /**
   * @throws FileToolError `PATTERN_INVALID`; `SEARCH_TIMEOUT` when the time given to this searcher is over
   * @throws RootedFileError `NOT_A_DIRECTORY`, `FILE_NOT_FOUND`, `PATH_TRAVERSAL`
   */
  search(query: SearchQuery, files: RootedFileSystem): Promise<SearchOutcome>;
}

export const TextSearcherToken: Token<TextSearcher> = token('@cleveragents/file-tools-ports/TextSearcher');
