import type { PathPredicate } from '@cleveragents/file-tools-domain';
import { compileGlob } from '@cleveragents/file-tools-domain';
import type { SearchQuery } from '@cleveragents/file-tools-ports';
import type { RootedFileSystem, Walk, WalkEntry } from '@cleveragents/shared-kernel';
import type { SearchLimits } from './search-limits.ts';

/** Which paths of the root a query is about. The directory must exist, or the walk says what is wrong with it. */
export async function includedBy(query: SearchQuery, files: RootedFileSystem): Promise<PathPredicate> {
  if (query.include === undefined) return () => true;
  const matches = compileGlob(query.include);
  const start = (await files.status(query.directory))?.path ?? '';
  return (path) => matches(path.slice(start === '' ? 0 : start.length + 1));
}

/** The files of a query, in the order of their paths. */
export class SearchedFiles {
  readonly #walk: Walk;
  readonly #includes: PathPredicate;

  constructor(query: SearchQuery, files: RootedFileSystem, limits: SearchLimits, includes: PathPredicate) {
    const { maxEntries, maxDepth } = limits;
    this.#walk = files.walk(query.directory, { recursive: true, maxEntries, maxDepth, signal: query.signal });
    this.#includes = includes;
  }

  get truncated(): boolean {
    return this.#walk.truncated;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WalkEntry, void, undefined> {
    for await (const entry of this.#walk)
      if (entry.type === 'file' && this.#includes(entry.path)) yield entry;
  }
}
