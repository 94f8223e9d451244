import type { GitEngine, LinkedWorktree, OperationOptions, WorktreeHost } from '@cleveragents/git-ports';
import type { ObjectId } from '@cleveragents/git-domain';
import { parseObjectId } from '@cleveragents/git-domain';
import type { GitWorktreeMetadata, SandboxContext } from '@cleveragents/sandbox-domain';
import type { CallOptions } from '@cleveragents/sandbox-ports';
import type { Clock, PlanKey } from '@cleveragents/shared-kernel';
import { parsePlanId, planKey } from '@cleveragents/shared-kernel';

/** Everything that one call on a sandbox works with. */
export interface WorktreeSession {
  readonly engine: GitEngine;
  readonly host: WorktreeHost;
  readonly clock: Clock;
  readonly context: SandboxContext;
  readonly metadata: GitWorktreeMetadata;
  readonly key: PlanKey;
  readonly base: ObjectId;
  /** Full name of the sandbox's own branch. */
  readonly branch: string;
  readonly timeoutMs: number;
  readonly options: OperationOptions;
}

export interface SessionParts {
  readonly engine: GitEngine;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Opens the repository of a sandbox and sets right what a dead process left half-done. */
export async function openSession(
  parts: SessionParts,
  context: SandboxContext,
  options: CallOptions = {},
): Promise<WorktreeSession> {
  const { metadata } = context;
  if (metadata.strategy !== 'git_worktree')
    throw new Error(`not a git worktree sandbox: ${metadata.strategy}`);
  const host = await parts.engine.open(context.originalPath, { timeoutMs: parts.timeoutMs });
  await host.recover();
  return {
    ...parts,
    host,
    context,
    metadata,
    key: planKey(parsePlanId(context.planId)),
    base: parseObjectId(metadata.baseCommit),
    branch: fullBranchName(metadata.branch),
    options: { signal: options.signal, onProgress: options.onProgress },
  };
}

export function openWorktree({ host, context, metadata }: WorktreeSession): Promise<LinkedWorktree> {
  return host.openWorktree(context.sandboxPath, metadata.gitDirectory);
}

export function fullBranchName(short: string): string {
  return `refs/heads/${short}`;
}

export function shortBranchName(full: string): string {
  return full.replace(/^refs\/heads\//, '');
}

export async function treeOf(host: WorktreeHost, commit: ObjectId): Promise<ObjectId> {
  return (await host.objects.readCommit(commit)).tree;
}
