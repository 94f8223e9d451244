import { matchesNamePattern, matchesPathPattern } from '@cleveragents/git-domain';

interface Pattern {
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  matches(relative: string, name: string): boolean;
}

/** The patterns of one ignore file, and the directory that they speak of (`''`, or ends in a slash). */
export class IgnoreFile {
  readonly #base: string;
  readonly #patterns: readonly Pattern[];

  constructor(base: string, text: string) {
    this.#base = base;
    this.#patterns = text
      .replace(/^\ufeff/, '')
      .split('\n')
      .flatMap((line) => parsePattern(line.replace(/\r$/, '')) ?? [])
      .reverse();
  }

  /** `undefined`: it says nothing of that path. The last pattern that matches decides. */
  says(path: string, name: string, isDirectory: boolean): 'ignored' | 'not ignored' | undefined {
    const relative = path.slice(this.#base.length);
    for (const pattern of this.#patterns)
      if ((isDirectory || !pattern.isForDirectories) && pattern.matches(relative, name))
        return pattern.isNegated ? 'not ignored' : 'ignored';
    return undefined;
  }
}

function parsePattern(line: string): Pattern | null {
  const kept = line.replace(/(?<!\\) +$/, '');
  if (kept === '' || kept.startsWith('#')) return null;
  const isNegated = kept.startsWith('!');
  const written = isNegated ? kept.slice(1) : kept;
  const isForDirectories = written.endsWith('/');
  const pattern = isForDirectories ? written.slice(0, -1) : written;
  if (pattern === '') return null;
  return { isNegated, isForDirectories, matches: matcher(pattern) };
}

/** Most patterns are a plain name or `*.ending`: those are compared, not matched. */
function matcher(pattern: string): Pattern['matches'] {
  const isWild = (text: string): boolean => /[*?[\\]/.test(text);
  if (pattern.includes('/')) {
    const anchored = pattern.replace(/^\//, '');
    return isWild(anchored)
      ? (relative) => matchesPathPattern(anchored, relative)
      : (relative) => relative === anchored;
  }
  if (!isWild(pattern)) return (_relative, name) => name === pattern;
  const ending = pattern.slice(1);
  if (pattern.startsWith('*') && !isWild(ending)) return (_relative, name) => name.endsWith(ending);
  return (_relative, name) => matchesNamePattern(pattern, name);
}
