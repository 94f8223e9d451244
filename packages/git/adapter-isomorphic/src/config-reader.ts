import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  type ConfigEntry,
  GitFormatError,
  matchesPathPattern,
  parseGitConfig,
} from '@cleveragents/git-domain';
import { GitError } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { damagedConfig } from './damaged-config.ts';
import type { Environment } from './environment.ts';
import { readTextIfThere } from './file-access.ts';
import { expandHome } from './home-path.ts';
import type { RepositoryLayout } from './repository-layout.ts';

export type ConfigScope = 'system' | 'global' | 'local' | 'worktree' | 'command';

export interface ConfigSetting {
  readonly name: string;
  readonly value: string | null;
  readonly scope: ConfigScope;
}

const DEEPEST_INCLUDE = 10;

/** Reads configuration files into one list, and what they include in the place where they include it. */
export class ConfigReader {
  readonly settings: ConfigSetting[] = [];
  readonly #layout: RepositoryLayout | null;
  readonly #environment: Environment;

  constructor(layout: RepositoryLayout | null, environment: Environment) {
    this.#layout = layout;
    this.#environment = environment;
  }

  /** A file that is not there has no settings. @throws GitError `GIT_CORRUPT`, `GIT_FILE_SYSTEM`. */
  readFile(path: string, scope: ConfigScope, depth = 0): void {
    if (depth > DEEPEST_INCLUDE)
      throw new GitError('GIT_CORRUPT', `${path}: configuration files include each other`, {
        data: { path },
      });
    for (const entry of this.#entriesOf(path, scope)) {
      this.settings.push({ name: entry.name, value: entry.value, scope });
      const included = this.#includedBy(entry, path);
      if (included !== null) this.readFile(included, scope, depth + 1);
    }
  }

  /** What `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_<n>` and `GIT_CONFIG_VALUE_<n>` set. */
  readEnvironment(): void {
    const count = Number(this.#environment['GIT_CONFIG_COUNT'] ?? 0);
    for (let at = 0; at < count; at++) {
      const key = this.#environment[`GIT_CONFIG_KEY_${at.toString()}`];
      const value = this.#environment[`GIT_CONFIG_VALUE_${at.toString()}`];
      if (key === undefined || value === undefined) continue;
      this.settings.push({ name: canonicalName(key), value, scope: 'command' });
    }
  }

  #entriesOf(path: string, scope: ConfigScope): readonly ConfigEntry[] {
    try {
      return parseGitConfig(readTextIfThere(path) ?? '');
    } catch (error) {
      if (error instanceof GitFormatError) throw damagedConfig(path, error);
      // git reads on when the user may not see a file that is not the repository's
      if (scope !== 'local' && hasCode(causeOf(error), 'EACCES')) return [];
      throw error;
    }
  }

  #includedBy({ section, subsection, key, value }: ConfigEntry, file: string): string | null {
    if (key !== 'path' || value === null) return null;
    const applies =
      section === 'include'
        ? subsection === null
        : section === 'includeif' && subsection !== null && this.#holds(subsection, file);
    return applies ? resolve(dirname(file), expandHome(value, this.#environment)) : null;
  }

  #holds(condition: string, file: string): boolean {
    const [kind, pattern] = splitAtColon(condition);
    if (kind === 'gitdir') return this.#isGitDirectory(pattern, file, false);
    if (kind === 'gitdir/i') return this.#isGitDirectory(pattern, file, true);
    if (kind === 'onbranch') return this.#isOnBranch(pattern);
    if (kind === 'hasconfig') return this.#hasRemote(pattern);
    return false;
  }

  #isGitDirectory(written: string, file: string, anyCase: boolean): boolean {
    if (this.#layout === null) return false;
    const expanded = expandHome(written, this.#environment);
    const folded = (text: string): string => (anyCase ? text.toLowerCase() : text);
    const directory = folded(this.#layout.gitDirectory);
    if (!expanded.startsWith('./')) {
      const pattern = expanded.startsWith('/') ? expanded : `**/${expanded}`;
      return matchesPathPattern(folded(withContents(pattern)), directory);
    }
    // relative to the file that says so; what leads there is no pattern
    const prefix = folded(`${dirname(realpathSync(file))}/`);
    if (!directory.startsWith(prefix)) return false;
    return matchesPathPattern(folded(withContents(expanded.slice(2))), directory.slice(prefix.length));
  }

  #isOnBranch(pattern: string): boolean {
    if (this.#layout === null) return false;
    const head = readTextIfThere(join(this.#layout.gitDirectory, 'HEAD')) ?? '';
    const branch = /^ref:\s*refs\/heads\/(.+?)\s*$/.exec(head)?.[1];
    return branch !== undefined && matchesPathPattern(withContents(pattern), branch);
  }

  /** Only `hasconfig:remote.*.url:<pattern>` exists. Files that are included so may not name remotes themselves. */
  #hasRemote(rest: string): boolean {
    const pattern = /^remote\.\*\.url:(.+)$/.exec(rest)?.[1];
    if (pattern === undefined || this.#layout === null) return false;
    return this.#remoteAddresses().some((address) => matchesPathPattern(withContents(pattern), address));
  }

  /** Of the repository's own file and of what was read before it: where remotes are in practice. */
  #remoteAddresses(): readonly string[] {
    const own = this.#entriesOf(join(this.#layout?.commonDirectory ?? '', 'config'), 'local');
    return [...this.settings, ...own].flatMap(({ name, value }) =>
      /^remote\..+\.url$/.test(name) && value !== null ? [value] : [],
    );
  }
}

function splitAtColon(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

function withContents(pattern: string): string {
  return pattern.endsWith('/') ? `${pattern}**` : pattern;
}

/** Section and key in lower case, the subsection as written. */
function canonicalName(key: string): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  return key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase();
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
