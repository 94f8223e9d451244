import type { Git, GitPlace } from './git.ts';
import type { NativeObjectStore } from './native-object-store.ts';
import type { RepositoryCore, WorktreeLayout } from './shared-parts.ts';

/** One repository, seen from one of its work trees: what the parts of this package pass to each other. */
export interface NativeRepository extends RepositoryCore {
  readonly git: Git;
  readonly objects: NativeObjectStore;
  /** Attributes or settings say that files are merged in a way that only git knows. */
  readonly mergesByGit: boolean;
  readonly runsHooks: boolean;
}

/** Seen from a work tree that is there. */
export type WorktreeRepository = NativeRepository & { readonly layout: WorktreeLayout };

export function placeOf({ gitDirectory, workTree }: WorktreeLayout, indexFile?: string): GitPlace {
  return { gitDirectory, workTree, indexFile };
}
