import { IgnoreRules } from '@cleveragents/file-tools-domain';
import type { RootedFileSystem, WalkFilter } from '@cleveragents/shared-kernel';
import { hasCode } from '@cleveragents/shared-kernel';

const FILE_NAME = '.gitignore';
const MAXIMUM_BYTES = 256 * 1024;

/**
 * Leaves out what the `.gitignore` files of the walked directories, and of those above the start, name; and everything once
 * the time is over, which no number of rules and entries can put off.
 *
 * @param end as `performance.now()` counts
 */
export async function gitIgnoreFilter(
  start: string,
  files: RootedFileSystem,
  end: number,
): Promise<WalkFilter> {
  const rules = new IgnoreRules();
  for (const directory of directoriesAbove((await files.status(start))?.path ?? '')) {
    const text = await readIfText(directory, files);
    if (text !== undefined) rules.add(directory, text);
  }
  return {
    enter(directory, read) {
      const bytes = read(FILE_NAME, MAXIMUM_BYTES);
      if (bytes !== undefined) rules.add(directory, new TextDecoder().decode(bytes));
    },
    leavesOut: (path, type) => performance.now() > end || rules.ignores(path, type === 'directory'),
  };
}

function directoriesAbove(path: string): readonly string[] {
  if (path === '') return [];
  const names = path.split('/');
  return names.map((_, depth) => names.slice(0, depth).join('/'));
}

async function readIfText(directory: string, files: RootedFileSystem): Promise<string | undefined> {
  try {
    const path = directory === '' ? FILE_NAME : `${directory}/${FILE_NAME}`;
    return new TextDecoder().decode((await files.read(path, { maxBytes: MAXIMUM_BYTES })).bytes);
  } catch (error) {
    // A file that git would not read as rules either.
    if (
      hasCode(
        error,
        'FILE_NOT_FOUND',
        'NOT_A_REGULAR_FILE',
        'FILE_TOO_LARGE',
        'PATH_TRAVERSAL',
        'PERMISSION_DENIED',
      )
    )
      return undefined;
    throw error;
  }
}
