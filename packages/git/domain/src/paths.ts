import { GitFormatError } from './git-format.errors.ts';

/** Code points that HFS+ drops from names before it compares them, so that `.g<200c>it` is `.git` there. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** NTFS takes these for `.git`: its short name, trailing dots and spaces, and a stream's name after a colon. */
const DOT_GIT_ON_NTFS = /^(?:\.git|git~1)[. ]*(?::.*)?$/is;

/** Order of git's trees, indexes and lists of paths: by the bytes of the UTF-8 form, which UTF-16 does not follow. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Moves the surrogates (characters beyond U+FFFF) behind U+E000 to U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Why git would not check out a file or directory of this name; `null` when it would. */
export function faultOfName(name: string): string | null {
  if (name === '') return 'is empty';
  if (name === '.' || name === '..') return 'is no name of its own';
  if (name.includes('/')) return 'has a slash';
  if (name.includes('\0')) return 'has a NUL';
  if (!name.isWellFormed()) return 'is not valid Unicode';
  if (isDotGit(name)) return 'may be taken for .git';
  return null;
}

function isDotGit(name: string): boolean {
  if (!/git/i.test(name.replace(IGNORED_BY_HFS, ''))) return false;
  return (
    name.replace(IGNORED_BY_HFS, '').toLowerCase() === '.git' ||
    name.split('\\').some((part) => DOT_GIT_ON_NTFS.test(part))
  );
}

/** @throws GitFormatError `GIT_PATH_REFUSED` unless git would check out a file of this name. */
export function requireName(name: string): void {
  const fault = faultOfName(name);
  if (fault === null) return;
  throw new GitFormatError('GIT_PATH_REFUSED', `the name ${JSON.stringify(name)} ${fault}`, {
    data: { name, fault },
  });
}

/** @throws GitFormatError `GIT_PATH_REFUSED` unless each segment of the path is a name that git would check out. */
export function requirePath(path: string): void {
  for (const segment of path.split('/')) requireName(segment);
}
