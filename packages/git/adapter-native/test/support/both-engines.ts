import { join } from 'node:path';
import type { ObjectId } from '@cleveragents/git-domain';
import { IsomorphicEngine } from '@cleveragents/git-adapter-isomorphic';
import type { GitEngine, LinkedWorktree, WorktreeHost } from '@cleveragents/git-ports';
import { GIT_ENVIRONMENT } from '@cleveragents/shared-testing/real-git';
import { NativeGitEngine } from '../../src/native-git-engine.ts';

export const MAIN = 'refs/heads/main';
export const BRANCH = 'refs/heads/cleveragents/plan-x';
const OWNER = { planId: 'x', sandboxId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };

export const native = (): GitEngine => new NativeGitEngine({ environment: GIT_ENVIRONMENT });
export const isomorphic = (): GitEngine => new IsomorphicEngine({ environment: GIT_ENVIRONMENT });

/** A worktree beside the repository's folder, on the plan's branch. */
export function addWorktree(host: WorktreeHost, folder: string, commit: ObjectId): Promise<LinkedWorktree> {
  return host.addWorktree({ path: join(folder, 'sandbox'), branch: BRANCH, commit, owner: OWNER });
}

export const labels = { ours: 'main', theirs: 'cleveragents/plan-x' };
