import { join } from 'node:path';
import { openRootedFileSystem } from '@cleveragents/shared-adapter-fs';
import {
  hasCode,
  messageOf,
  parseRelativePath,
  pathTraversal,
  ValidationError,
} from '@cleveragents/shared-kernel';

/**
 * The absolute path of `resourcePath` below `root`, which need not exist. `.` is the root itself. Confinement is judged by
 * the one implementation that the file tools use too; links stay in the path as they were given.
 *
 * @param root absolute, links resolved.
 * @throws ValidationError `Path traversal not allowed` for `..`, an absolute path, or a link on the way that leads out.
 */
export async function containedPath(root: string, resourcePath: string): Promise<string> {
  if (resourcePath === '.') return root;
  const path = parseRelativePath(resourcePath);
  const files = await openRootedFileSystem(root);
  try {
    await files.hostPath(path);
  } catch (error) {
    if (hasCode(error, 'PATH_TRAVERSAL')) throw pathTraversal();
    // a link inside that leads to nothing inside: there is nothing to reach yet
    if (!hasCode(error, 'FILE_NOT_FOUND'))
      throw new ValidationError(messageOf(error), { data: { path }, cause: error });
  }
  return join(root, path);
}
