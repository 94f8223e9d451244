import type { GlobSegment } from './glob.ts';
import { compileSegment, matchesSegments } from './glob.ts';

interface Rule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  readonly segments: readonly GlobSegment[];
}

const MOST_RULES = 5000;

/** The patterns of the `.gitignore` files of a tree, as git reads them, one directory at a time. */
export class IgnoreRules {
  readonly #byDirectory = new Map<string, readonly Rule[]>();

  /** @param directory that holds the file, `''` for the root */
  add(directory: string, text: string): void {
    const rules = text.split('\n', MOST_RULES).flatMap((line) => readRule(line.replace(/\r$/, '')));
    if (rules.length > 0) this.#byDirectory.set(directory, rules);
  }

  /** Whether this path is ignored by itself; what lies in an ignored directory is ignored with it, which a walk sees to. */
  ignores(path: string, isDirectory: boolean): boolean {
    const names = path.split('/');
    // The nearest file that says anything decides, and in it the last line that does.
    for (let depth = names.length - 1; depth >= 0; depth--) {
      const rules = this.#byDirectory.get(names.slice(0, depth).join('/'));
      if (rules === undefined) continue;
      const subject = names.slice(depth).map((name) => Array.from(name));
      const decisive = rules.findLast(
        (rule) => (isDirectory || !rule.directoriesOnly) && matchesSegments(rule.segments, subject),
      );
      if (decisive !== undefined) return !decisive.negated;
    }
    return false;
  }
}

function readRule(line: string): Rule[] {
  let pattern = withoutTrailingSpaces(line);
  if (pattern === '' || pattern.startsWith('#')) return [];
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const isAnchored = pattern.includes('/');
  const segments = pattern
    .split('/')
    .filter((segment) => segment !== '')
    .map(compileSegment);
  if (segments.length === 0) return [];
  return [{ negated, directoriesOnly, segments: isAnchored ? segments : ['any-segments', ...segments] }];
}

function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}
