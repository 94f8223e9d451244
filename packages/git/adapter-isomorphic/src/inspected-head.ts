import type { Head } from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import type { RefStore } from './ref-store.ts';
import type { RepositoryLayout } from './repository-layout.ts';

/** Of a repository that is refused, HEAD may be in a form that only others read: nobody knows then where it is. */
export async function inspectedHead(
  refs: RefStore,
  layout: RepositoryLayout,
  isRefused: boolean,
): Promise<Head> {
  try {
    return await refs.readHead(layout.gitDirectory);
  } catch (error) {
    if (isRefused && hasCode(error, 'GIT_CORRUPT', 'VALIDATION_FAILED'))
      return { branch: null, commit: null };
    throw error;
  }
}
