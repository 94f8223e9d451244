import type { RepositoryFingerprint } from '@cleveragents/git-ports';
import type { RefStore } from './ref-store.ts';
import type { RepositoryLayout } from './repository-layout.ts';

export async function readFingerprint(
  layout: RepositoryLayout,
  refs: RefStore,
): Promise<RepositoryFingerprint> {
  throw new Error(`not written yet ${layout.gitDirectory} ${String(refs)}`);
}
