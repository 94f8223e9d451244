import { IsomorphicEngine } from '@cleveragents/git-adapter-isomorphic';
import type { GitEngine } from '@cleveragents/git-ports';

/**
 * The engine of a sandbox that was made with `new` alone. The one place where this adapter names another context's
 * adapter; see docs/adr.
 */
export function defaultEngine(): GitEngine {
  return new IsomorphicEngine();
}
