import { isAbsolute } from 'node:path';
import type { RootedPath } from '@cleveragents/shared-kernel';
import { traversalRefused } from '@cleveragents/shared-kernel';
import type { SystemCalls } from './rooted-calls.ts';
import { translated, unlessMissing } from './rooted-errors.ts';
import type { Pin, Pinning } from './rooted-pinning.ts';

const MAXIMUM_LINKS = 40;

/**
 * Reaches `path`, links followed. What cannot be reached answers `PATH_TRAVERSAL` when its links lead out, whatever the
 * system's reason was: else the answers would tell what lies outside and what does not.
 */
export function reachPath(path: RootedPath, pinning: Pinning, root: string, calls: SystemCalls): Pin {
  try {
    return pinning.reach(spelled(path));
  } catch (error) {
    if (leadsOut(path.segments, root, calls)) throw traversalRefused();
    throw translated(path.raw, error);
  }
}

/** A trailing slash makes the system insist on a directory. */
function spelled({ segments, namesDirectory }: RootedPath): string {
  return segments.join('/') + (namesDirectory && segments.length > 0 ? '/' : '');
}

/**
 * Where the links of a path lead, also when nothing is there. Only good for choosing between two refusals: by the time
 * of the answer the links may be others.
 */
export function leadsOut(segments: readonly string[], root: string, calls: SystemCalls): boolean {
  const reached: string[] = [];
  const ahead = [...segments];
  for (let links = 0; ahead.length > 0;) {
    const segment = ahead.shift() ?? '';
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      if (reached.pop() === undefined) return true;
      continue;
    }
    const target = linkTarget([root, ...reached, segment].join('/'), calls);
    if (target === undefined) {
      reached.push(segment);
      continue;
    }
    if (++links > MAXIMUM_LINKS) return false;
    if (isAbsolute(target)) {
      if (target !== root && !target.startsWith(`${root}/`)) return true;
      reached.length = 0;
    }
    ahead.unshift(...(isAbsolute(target) ? target.slice(root.length) : target).split('/'));
  }
  return false;
}

function linkTarget(path: string, calls: SystemCalls): string | undefined {
  try {
    return unlessMissing(() => (calls.lstat(path).isSymbolicLink() ? calls.readlink(path) : undefined));
  } catch {
    // It cannot be looked at, so nothing goes on from here.
    return undefined;
  }
}

/** The directory that a path's last name is in. */
export function parentOf(path: RootedPath): RootedPath {
  return { ...path, segments: path.segments.slice(0, -1), namesDirectory: true };
}
