import type { PathPredicate } from '@cleveragents/file-tools-domain';
import { compileGlob } from '@cleveragents/file-tools-domain';
import type { SearchQuery } from '@cleveragents/file-tools-ports';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';

/** Which paths of the root a query is about. The directory must exist, or the walk says what is wrong with it. */
export async function includedBy(query: SearchQuery, files: RootedFileSystem): Promise<PathPredicate> {
  if (query.include === undefined) return () => true;
  const matches = compileGlob(query.include);
  const start = (await files.status(query.directory))?.path ?? '';
  return (path) => matches(path.slice(start === '' ? 0 : start.length + 1));
}
