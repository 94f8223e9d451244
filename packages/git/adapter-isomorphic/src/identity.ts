import type { Signature } from '@cleveragents/git-domain';
import type { Environment } from './environment.ts';
import type { GitConfig } from './git-config.ts';

export interface Identity {
  readonly author: Signature;
  readonly committer: Signature;
}

/** Author and committer as git would write them into a commit now. @throws GitError `GIT_IDENTITY_MISSING`. */
export function readIdentity(config: GitConfig, environment: Environment = process.env): Identity {
  throw new Error(`not written yet ${String(config)} ${String(environment)}`);
}

/** Who a reflog line names: the committer, or as git does, the system's user where none is configured. */
export function readReflogIdentity(config: GitConfig, environment: Environment = process.env): Signature {
  throw new Error(`not written yet ${String(config)} ${String(environment)}`);
}
