import type { Environment } from './environment.ts';
import { GitConfig } from './git-config.ts';
import { ObjectDatabase } from './object-database.ts';
import { RefStore } from './ref-store.ts';
import { gitPath, type RepositoryLayout } from './repository-layout.ts';

/** One repository, seen from one of its work trees: what the parts of this package pass to each other. */
export interface Repository {
  readonly layout: RepositoryLayout;
  readonly config: GitConfig;
  readonly refs: RefStore;
  readonly objects: ObjectDatabase;
  readonly environment: Environment;
  /** Longest that one operation may take. */
  readonly timeoutMs: number;
}

/** What the journalled operations need of it: nothing of how an engine reads objects, indexes and files. */
export type RepositoryCore = Omit<Repository, 'objects'>;

export interface RepositoryOptions {
  readonly environment?: Environment | undefined;
  readonly timeoutMs?: number | undefined;
}

export async function openRepository(
  layout: RepositoryLayout,
  { environment = process.env, timeoutMs = 30_000 }: RepositoryOptions = {},
): Promise<Repository> {
  const config = await GitConfig.load(layout, environment);
  return {
    layout,
    config,
    refs: new RefStore({ layout, config, environment }),
    objects: new ObjectDatabase(gitPath(layout, 'objects')),
    environment,
    timeoutMs,
  };
}
