import { RootedFileError, rootedFileError, traversalRefused } from './rooted-file.errors.ts';

/** A path that somebody outside wrote, once its spelling is found harmless. Where links lead, only a file system can tell. */
export interface RootedPath {
  /** As it was written: what messages show. */
  readonly raw: string;
  /** Without empty and `.` segments. Empty for the root itself. May hold `..`, which never climbs above the root by its spelling. */
  readonly segments: readonly string[];
  /** Whether the spelling asks for a directory: it ends in `/`, `.` or `..`. */
  readonly namesDirectory: boolean;
}

const MAXIMUM_BYTES = 4096;

/**
 * Reads a path relative to a root. Everything is literal: no `~`, no `%2e`, no variables; `\` is an ordinary character,
 * except where `windows` is set.
 *
 * @throws RootedFileError `PATH_TRAVERSAL` for an absolute path and for one whose `..` climb above the root
 * @throws RootedFileError `PATH_INVALID` for what names no file on any system, and for a `file:` URL
 */
export function parseRootedPath(
  raw: unknown,
  { windows = false }: { readonly windows?: boolean } = {},
): RootedPath {
  if (typeof raw !== 'string') throw invalid('The path must be a string');
  if (raw === '') throw invalid('The path cannot be empty', 'Use "." for the root itself.');
  if (raw.includes('\0')) throw invalid('The path cannot contain a NUL character');
  if (!raw.isWellFormed()) throw invalid('The path is not valid Unicode');
  if (new TextEncoder().encode(raw).length > MAXIMUM_BYTES)
    throw invalid(`The path is longer than ${MAXIMUM_BYTES} bytes`);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(raw))
    throw invalid('The path is a URL', 'Give a plain path relative to the root, not a URL.');
  const separator = windows ? /[\\/]/ : /\//;
  if (separator.test(raw[0] ?? '') || (windows && /^[a-z]:/i.test(raw))) throw traversalRefused();
  const parts = raw.split(separator);
  const segments = parts.filter((part) => part !== '' && part !== '.');
  refuseClimbing(segments);
  return { raw, segments, namesDirectory: ['', '.', '..'].includes(parts.at(-1) ?? '') };
}

function invalid(message: string, hint?: string): RootedFileError {
  return new RootedFileError('PATH_INVALID', message, { hint });
}

function refuseClimbing(segments: readonly string[]): void {
  let depth = 0;
  for (const segment of segments) {
    depth += segment === '..' ? -1 : 1;
    if (depth < 0) throw traversalRefused();
  }
}

const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether some file system takes this name for `.git`: in other case, with characters that HFS+ ignores, by its short
 * name on NTFS, or with the endings that NTFS drops.
 */
export function isGitName(segment: string): boolean {
  const name = segment.replace(IGNORED_BY_HFS, '').toLowerCase();
  return /^(?:\.git|git~1)(?:[ .]*|[ .]*:.*)$/s.test(name);
}

/** @throws RootedFileError `PATH_PROTECTED` when one of the segments is a name of `.git` */
export function refuseGitNames(raw: string, segments: readonly string[]): void {
  if (!segments.some(isGitName)) return;
  throw rootedFileError('PATH_PROTECTED', raw, 'belongs to git itself and is never written', {
    hint: 'Use git commands to change a repository; files below .git can be read.',
  });
}
