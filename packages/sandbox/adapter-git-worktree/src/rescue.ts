import type { ObjectId } from '@cleveragents/git-domain';
import type { Ref, WorktreeHost } from '@cleveragents/git-ports';
import { isExpiredRescue, RESCUE_PREFIX, rescueRefName, rescueTime } from '@cleveragents/sandbox-domain';
import { type Clock, hasCode } from '@cleveragents/shared-kernel';
import { fullBranchName, treeOf, type WorktreeSession } from './worktree-session.ts';

/** Who signs a rescue when the user has no identity: keeping work must not fail for want of a name. */
const NOBODY = { name: 'cleveragents', email: 'cleveragents@localhost' };

/**
 * Keeps `commit` under a ref of the plan's own; the one that an earlier call made, which was cut short, is taken up.
 * @returns the ref's name.
 */
export async function keepCommit(session: WorktreeSession, commit: ObjectId): Promise<string> {
  const kept = (await keptSoFar(session)).find(({ target }) => target === commit);
  return kept?.name ?? makeRescue(session, commit);
}

/** The same where there is no sandbox any more. */
export async function keepUnder(
  place: Pick<WorktreeSession, 'host' | 'clock' | 'key'>,
  commit: ObjectId,
): Promise<string> {
  const refs = await place.host.listRefs(`${RESCUE_PREFIX}/${place.key}`);
  const now = place.clock.now();
  const kept = refs.find(({ name, target }) => target === commit && !isExpiredRescue(name, now));
  return kept?.name ?? makeRescue(place, commit);
}

async function makeRescue(
  { host, key, clock }: Pick<WorktreeSession, 'host' | 'clock' | 'key'>,
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

/** Keeps a tree that no commit holds yet, as a commit on `parent`. */
export async function keepTree(
  session: WorktreeSession,
  tree: ObjectId,
  parent: ObjectId,
  reason: string,
): Promise<string> {
  const { host, clock, context } = session;
  for (const { name, target } of await keptSoFar(session)) {
    const kept = await host.objects.readCommit(target);
    if (kept.tree === tree && kept.parents.length === 1 && kept.parents[0] === parent) return name;
  }
  const { author, committer } = await identityOrNobody(host, clock);
  const message = `cleveragents: ${reason}\n\nPlan: ${JSON.stringify(context.planId)}\n`;
  const kept = { tree, parents: [parent], author, committer, message };
  const commit = await host.objects.writeCommit(kept, { sign: false });
  return keepCommit(session, commit);
}

/** What was rescued from this very sandbox, newest first. */
export async function keptSoFar({ host, key, context }: WorktreeSession): Promise<readonly Ref[]> {
  const since = new Date(context.createdAt).getTime();
  const refs = await host.listRefs(`${RESCUE_PREFIX}/${key}`);
  return refs.filter(({ name }) => (rescueTime(name)?.getTime() ?? -1) >= since).reverse();
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
  const { host, base } = session;
  const head = work.head ?? base;
  const headTree = await treeOf(host, head);
  if (work.tree !== headTree && work.tree !== (await treeOf(host, base)))
    return keepTree(session, work.tree, head, reason);
  return (await isHeld(host, head, base, heldBy)) ? null : keepCommit(session, head);
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
