import { lstatSync, readdirSync } from 'node:fs';
import type { ObjectId } from '@cleveragents/git-domain';
import { assertNothingUnkept, listed, SandboxError, type SandboxState } from '@cleveragents/sandbox-domain';
import type { CleanupResult } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { assertNoNestedWork } from './nested-work.ts';
import { reattachSandbox } from './repair.ts';
import { dropExpiredRescues, isHeld, keepCommit, keepWork, keptSoFar, targetTip } from './rescue.ts';
import { readContents, unkeptFiles } from './sandbox-changes.ts';
import { assertNotApplied } from './unrecorded-apply.ts';
import type { WorktreeSession } from './worktree-session.ts';

/** Removes worktree, admin folder and branch. Work that no branch of the user's holds is rescued first. */
export async function removeSandbox(opened: WorktreeSession, state: SandboxState): Promise<CleanupResult> {
  const { status } = state;
  const session = whereApplied(opened, state);
  const { host, context, metadata, branch, clock, options } = session;
  if (status === 'created' || status === 'active') await assertNotApplied(session);
  const rescuedTo = await rescueWork(session, status);
  const tip = await host.readRef(branch);
  const removal = await host.removeWorktree(
    {
      path: context.sandboxPath,
      gitDirectory: metadata.gitDirectory,
      branch: tip === null ? null : { name: branch, expected: tip },
    },
    options,
  );
  await session.memory.forgetAll();
  await dropExpiredRescues(host, clock.now());
  if (removal.leftOver.length > 0) throw leftOver(context.sandboxPath, removal.leftOver);
  return { ...removal, branchDeleted: removal.branchDeleted || tip === null, rescuedTo };
}

/** What was applied to another branch than the one that the plan began on is held by that one. */
function whereApplied(session: WorktreeSession, state: SandboxState): WorktreeSession {
  if (state.status !== 'committed' || state.result.targetBranch === null) return session;
  return { ...session, metadata: { ...session.metadata, targetBranch: state.result.targetBranch } };
}

async function rescueWork(session: WorktreeSession, status: SandboxState['status']): Promise<string | null> {
  const { host, base, branch } = session;
  const heldBy = await targetTip(session);
  const reason = status === 'committed' ? 'changes made after the apply' : 'changes never applied';
  const fromFiles = await rescueFiles(session, heldBy, reason);
  const tip = await host.readRef(branch);
  if (tip === null) return fromFiles ?? (await keptSoFar(session))[0]?.name ?? null;
  if (await isHeld(host, tip, base, heldBy)) return fromFiles;
  if (fromFiles !== null && (await isReachable(session, tip, fromFiles))) return fromFiles;
  const fromBranch = await keepCommit(session, tip);
  return fromFiles ?? fromBranch;
}

async function rescueFiles(
  session: WorktreeSession,
  heldBy: ObjectId | null,
  reason: string,
): Promise<string | null> {
  try {
    return await keepFiles(session, heldBy, reason);
  } catch (error) {
    if (!hasCode(error, 'GIT_WORKTREE_BROKEN')) throw error;
    if (namesIn(session.context.sandboxPath).length === 0) return null; // gone; the branch may still hold something
    await reattachSandbox(session.host, session.context, session.metadata);
    return keepFiles(session, heldBy, reason);
  }
}

async function keepFiles(
  session: WorktreeSession,
  heldBy: ObjectId | null,
  reason: string,
): Promise<string | null> {
  const { captured, head } = await readContents(session);
  assertNothingUnkept(session.context.sandboxPath, unkeptFiles(captured));
  await assertNoNestedWork(session, captured.omitted);
  return keepWork(session, { tree: captured.tree, head: head.commit }, heldBy, reason);
}

/** What the folder holds, other than git's pointer. */
function namesIn(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(path).filter((name) => name !== '.git');
}

async function isReachable({ host }: WorktreeSession, commit: ObjectId, ref: string): Promise<boolean> {
  const tip = await host.readRef(ref);
  return tip !== null && (tip === commit || (await host.isAncestor(commit, tip)));
}

function leftOver(
  path: string,
  paths: readonly { readonly path: string; readonly reason: string }[],
): SandboxError {
  const list = listed(paths.map(({ path: each, reason }) => `${each}: ${reason}`));
  return new SandboxError('SANDBOX_CLEANUP_FAILED', `Parts of ${path} could not be removed:\n${list}`, {
    hint: 'Free what holds them (a running process, permissions), then run the cleanup again.',
    data: { path, leftOver: paths },
  });
}
