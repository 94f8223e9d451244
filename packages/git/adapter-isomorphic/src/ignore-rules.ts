import type { GitConfig } from './git-config.ts';
import type { RepositoryLayout } from './repository-layout.ts';

export interface IgnoreRulesOptions {
  /**
   * The bytes of a directory's `.gitignore`; null when it has none. Called at most once for each directory, when a path
   * below it is first asked for. @param directory relative to the work tree, `''` for its root.
   */
  readonly readIgnoreFile?: ((directory: string) => Uint8Array | null) | undefined;
}

/** Which paths of a work tree git would leave out as ignored. Knows nothing of the index: a tracked file is never ignored. */
export class IgnoreRules {
  /** Reads `info/exclude` and `core.excludesFile` now, the `.gitignore` files later, as they are needed. */
  static load(layout: RepositoryLayout, config: GitConfig, options: IgnoreRulesOptions = {}): IgnoreRules {
    throw new Error(`not written yet ${layout.gitDirectory} ${String(config)} ${String(options)}`);
  }

  /** @param path relative to the work tree, POSIX, no trailing slash. True also when a parent is ignored. */
  isIgnored(path: string, isDirectory: boolean): boolean {
    throw new Error(`not written yet ${path} ${isDirectory}`);
  }
}
