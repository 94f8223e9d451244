import type { Brand } from './brand.ts';
import { ValidationError } from './coded-error.ts';

/**
 * A path below some root: POSIX separators, raw name (never quoted or escaped), no empty, `.` or `..` segment, no leading
 * or trailing slash. It says nothing about links: only a file system can tell where those lead.
 */
export type RelativePath = Brand<string, 'RelativePath'>;

/**
 * Reads a path that somebody outside wrote. `.` segments and doubled slashes fall away; `\` stays an ordinary character,
 * as it is in a POSIX name.
 *
 * @throws ValidationError `Path traversal not allowed` for an absolute path or a `..` segment, also where the way back
 *   would stay inside: with links in between nobody can tell.
 * @throws ValidationError for an empty path, a NUL, a lone surrogate, or more than 4,096 bytes.
 */
export function parseRelativePath(raw: string): RelativePath {
  if (typeof raw !== 'string') throw new ValidationError('path must be a string');
  if (raw === '') throw new ValidationError('path cannot be empty');
  if (raw.includes('\0')) throw new ValidationError('path cannot contain a NUL character');
  if (!raw.isWellFormed()) throw new ValidationError('path is not valid Unicode');
  if (new TextEncoder().encode(raw).length > 4096)
    throw new ValidationError('path is longer than 4096 bytes');
  if (raw.startsWith('/')) throw pathTraversal();
  const segments = raw.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw pathTraversal();
  if (segments.length === 0) throw new ValidationError('path names the root itself');
  return segments.join('/') as RelativePath;
}

/** The refusal of every path that leads out of its root. Says nothing about what lies there. */
export function pathTraversal(): ValidationError {
  return new ValidationError('Path traversal not allowed', {
    hint: 'Give a path inside the sandbox, relative to its root.',
  });
}
