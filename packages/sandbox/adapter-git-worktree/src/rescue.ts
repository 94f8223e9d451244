import type { ObjectId } from '@cleveragents/git-domain';
import type { WorktreeHost } from '@cleveragents/git-ports';
import { isExpiredRescue, RESCUE_PREFIX, rescueRefName } from '@cleveragents/sandbox-domain';
import { type Clock, hasCode, type PlanKey } from '@cleveragents/shared-kernel';
import { fullBranchName, treeOf, type WorktreeSession } from './worktree-session.ts';

/** Who signs a rescue when the user has no identity: keeping work must not fail for want of a name. */
const NOBODY = { name: 'cleveragents', email: 'cleveragents@localhost' };

/**
 * Keeps `commit` under a ref of the plan's own.
 * @returns the ref's name.
 */
export async function keepCommit(
  host: WorktreeHost,
  key: PlanKey,
  clock: Clock,
  commit: ObjectId,
): Promise<string> {
  const wanted = rescueRefName(key, clock.now());
  for (let attempt = 0; ; attempt++) {
    const name = attempt === 0 ? wanted : `${wanted}-${attempt}`;
    try {
      await host.updateRef({ name, expected: null, target: commit, message: 'cleveragents: rescued' });
      return name;
    } catch (error) {
      if (!hasCode(error, 'GIT_REF_EXISTS', 'GIT_REF_MOVED')) throw error;
    }
  }
}

/** Keeps a tree that no commit holds yet, as a commit on `parents`. */
export async function keepTree(
  session: WorktreeSession,
  tree: ObjectId,
  parents: readonly ObjectId[],
  reason: string,
): Promise<string> {
  const { host, key, clock, context } = session;
  const { author, committer } = await identityOrNobody(host, clock);
  const message = `cleveragents: ${reason}\n\nPlan: ${JSON.stringify(context.planId)}\n`;
  const commit = await host.objects.writeCommit({ tree, parents, author, committer, message });
  return keepCommit(host, key, clock, commit);
}

/**
 * Keeps what the worktree holds, when neither the base nor a commit that `heldBy` reaches has it.
 * @param heldBy a commit that keeps its ancestors alive: the target branch's tip.
 * @returns the ref; null when there was nothing to keep.
 */
export async function keepWork(
  session: WorktreeSession,
  work: { readonly tree: ObjectId; readonly head: ObjectId | null },
  heldBy: ObjectId | null,
  reason: string,
): Promise<string | null> {
  const { host, base, key, clock } = session;
  const head = work.head ?? base;
  const headTree = await treeOf(host, head);
  if (work.tree !== headTree && work.tree !== (await treeOf(host, base)))
    return keepTree(session, work.tree, [head], reason);
  return (await isHeld(host, head, base, heldBy)) ? null : keepCommit(host, key, clock, head);
}

export async function isHeld(
  host: WorktreeHost,
  commit: ObjectId,
  base: ObjectId,
  heldBy: ObjectId | null,
): Promise<boolean> {
  if (commit === base || commit === heldBy) return true;
  if (await host.isAncestor(commit, base)) return true;
  return heldBy !== null && (await host.isAncestor(commit, heldBy));
}

/** Tip of the branch that the sandbox came from; null when there is none any more. */
export async function targetTip({ host, metadata }: WorktreeSession): Promise<ObjectId | null> {
  return metadata.targetBranch === null ? null : host.readRef(fullBranchName(metadata.targetBranch));
}

/** Lets go of what was kept for longer than promised. */
export async function dropExpiredRescues(host: WorktreeHost, now: Date): Promise<void> {
  for (const { name, target } of await host.listRefs(RESCUE_PREFIX)) {
    if (!isExpiredRescue(name, now)) continue;
    try {
      await host.deleteRef(name, target);
    } catch (error) {
      if (!hasCode(error, 'GIT_REF_MOVED', 'GIT_LOCKED')) throw error; // somebody else is at it; next time
    }
  }
}

async function identityOrNobody(host: WorktreeHost, clock: Clock): ReturnType<WorktreeHost['readIdentity']> {
  try {
    return await host.readIdentity();
  } catch (error) {
    if (!hasCode(error, 'GIT_IDENTITY_MISSING')) throw error;
    const signature = {
      ...NOBODY,
      timestampSeconds: Math.floor(clock.now().getTime() / 1000),
      offsetMinutes: 0,
    };
    return { author: signature, committer: signature };
  }
}
