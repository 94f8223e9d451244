import { matchesNamePattern, matchesPathPattern } from '@cleveragents/git-domain';

interface Rule {
  readonly pattern: string;
  readonly isWholePath: boolean;
  readonly foldersOnly: boolean;
  readonly takesBack: boolean;
}

/** Root of what an apply keeps in a project while it goes on. Never part of anybody's files. */
export const STAGING_PREFIX = '.cleveragents-apply-';

/** Paths that are no part of a copy: patterns as in a `.gitignore` at the root, and paths that are links to the original. */
export class Exclusion {
  readonly patterns: readonly string[];
  readonly linked: readonly string[];
  readonly #rules: readonly Rule[];
  readonly #linked: ReadonlySet<string>;

  constructor(patterns: readonly string[], linked: readonly string[]) {
    this.patterns = patterns;
    this.linked = linked;
    this.#rules = patterns.flatMap(parseRule);
    this.#linked = new Set(linked);
  }

  /** Of something whose folder is not left out itself. */
  leavesOut(path: string, isFolder: boolean): boolean {
    if (path.startsWith(STAGING_PREFIX) && !path.includes('/')) return true;
    if (this.#linked.has(path)) return true;
    let out = false;
    for (const rule of this.#rules) if (matches(rule, path, isFolder)) out = !rule.takesBack;
    return out;
  }
}

function parseRule(line: string): readonly Rule[] {
  const trimmed = line.replace(/(?<!\\)[ \t\r]+$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return [];
  const takesBack = trimmed.startsWith('!');
  const text = takesBack ? trimmed.slice(1) : trimmed;
  const foldersOnly = text.endsWith('/');
  const body = foldersOnly ? text.slice(0, -1) : text;
  const pattern = body.startsWith('/') ? body.slice(1) : body;
  return pattern === '' ? [] : [{ pattern, isWholePath: body.includes('/'), foldersOnly, takesBack }];
}

function matches({ pattern, isWholePath, foldersOnly }: Rule, path: string, isFolder: boolean): boolean {
  if (foldersOnly && !isFolder) return false;
  return isWholePath
    ? matchesPathPattern(pattern, path)
    : matchesNamePattern(pattern, path.slice(path.lastIndexOf('/') + 1));
}
