import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { hasCode, parseRelativePath, pathTraversal, ValidationError } from '@cleveragents/shared-kernel';

/** As many as Linux follows before it gives up with ELOOP. */
const MAX_LINKS = 40;

/**
 * The absolute path of `resourcePath` below `root`, which need not exist. `.` is the root itself.
 * @param root absolute, links resolved.
 * @throws ValidationError `Path traversal not allowed` for `..`, an absolute path, or a link on the way that leads out.
 */
export async function containedPath(root: string, resourcePath: string): Promise<string> {
  if (resourcePath === '.') return root;
  const path = join(root, parseRelativePath(resourcePath));
  await assertStaysInside(root, path);
  return path;
}

async function assertStaysInside(root: string, path: string): Promise<void> {
  let remaining = relative(root, path).split(sep);
  let current = root;
  let links = 0;
  while (remaining.length > 0) {
    const [name, ...rest] = remaining;
    if (name === undefined) return;
    const next = join(current, name);
    const target = await linkTarget(next);
    if (target === 'missing') return;
    remaining = rest;
    if (target === null) {
      current = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new ValidationError('Path leads through a loop of links');
    const resolved = normalize(isAbsolute(target) ? target : join(dirname(next), target));
    const inside = relative(root, resolved);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) throw pathTraversal();
    remaining = [...inside.split(sep).filter((segment) => segment !== ''), ...rest];
    current = root;
  }
}

/** Where a link points; null for anything that is no link. */
async function linkTarget(path: string): Promise<string | 'missing' | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'missing';
    throw error;
  }
}
