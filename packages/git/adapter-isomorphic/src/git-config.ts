import type { Environment } from './environment.ts';
import type { RepositoryLayout } from './repository-layout.ts';

/** All configuration that git would see in a repository, read once: system, global, local, and the work tree's own. */
export class GitConfig {
  /** @param layout null: outside of any repository. @throws GitError `GIT_CORRUPT` for a file that git would refuse. */
  static async load(
    layout: RepositoryLayout | null,
    environment: Environment = process.env,
  ): Promise<GitConfig> {
    throw new Error(`not written yet ${String(layout)} ${String(environment)}`);
  }

  /** The value that wins; undefined when none is set, null for a key without `=`. Names as `git config --list` has them. */
  get(name: string): string | null | undefined {
    throw new Error(`not written yet ${name}`);
  }

  /** Every value in the order in which git reads them. */
  getAll(name: string): readonly (string | null)[] {
    throw new Error(`not written yet ${name}`);
  }

  /** @throws GitError `GIT_CORRUPT` for a value that is no boolean. */
  boolean(name: string, fallback: boolean): boolean {
    throw new Error(`not written yet ${name} ${fallback}`);
  }

  /** A path with `~` expanded, absolute; null when not set. */
  path(name: string): string | null {
    throw new Error(`not written yet ${name}`);
  }
}
