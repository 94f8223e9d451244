import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import type { WorktreeHost } from '@cleveragents/git-ports';
import {
  type GitWorktreeMetadata,
  RESCUE_DAYS,
  type SandboxContext,
  SandboxError,
  type SandboxRepairStep,
  type SandboxState,
} from '@cleveragents/sandbox-domain';
import { breakStaleLock } from '@cleveragents/shared-adapter-fs';
import { type Clock, hasCode, parsePlanId, planKey } from '@cleveragents/shared-kernel';
import { dropExpiredRescues, keepUnder } from './rescue.ts';
import { fullBranchName } from './worktree-session.ts';

const NOTHING = 'Nothing had to be done any more.';

/** See `SandboxFactory.repair`. */
export async function repairSandboxes(
  host: WorktreeHost,
  clock: Clock,
  step: SandboxRepairStep,
): Promise<string> {
  switch (step.step) {
    case 'recover':
      return recover(host, clock);
    case 'free-lock':
      return freeLock(host, step.path);
    case 'reattach':
      return reattach(host, step.state);
    case 'drop-branch':
      return dropBranch(host, clock, step);
    case 'drop-ref':
      await host.deleteRef(step.ref, parseObjectId(step.target));
      return 'The ref is deleted.';
    case 'restore-setting':
      await host.restoreSetting(step.name, step.value);
      return step.value === null ? `${step.name} is removed.` : `${step.name} is ${step.value} again.`;
  }
}

async function recover(host: WorktreeHost, clock: Clock): Promise<string> {
  const { actions } = await host.recover();
  await dropExpiredRescues(host, clock.now());
  const blocked = actions.find(({ outcome }) => outcome === 'blocked');
  if (blocked !== undefined)
    throw new SandboxError('SANDBOX_RECOVERY_BLOCKED', blocked.detail, {
      hint: 'Nothing was changed. Set right by hand what is named, then run the doctor again.',
    });
  return actions.length === 0 ? 'Done.' : actions.map(({ detail }) => detail).join(' ');
}

async function freeLock(host: WorktreeHost, path: string): Promise<string> {
  const { locks } = await host.examine();
  const isOurs = locks.some((lock) => lock.path === path && lock.holder === 'dead');
  return isOurs && breakStaleLock(path) !== null ? 'The lock is free.' : NOTHING;
}

async function reattach(host: WorktreeHost, state: SandboxState): Promise<string> {
  const context = state.status === 'pending' ? null : state.context;
  if (context === null || context.metadata.strategy !== 'git_worktree') return NOTHING;
  await reattachSandbox(host, context, context.metadata);
  return `${context.sandboxPath} is a worktree of the repository again.`;
}

/** @throws GitError `GIT_WORKTREE_BROKEN` when nothing proves that the folder is that sandbox. */
export async function reattachSandbox(
  host: WorktreeHost,
  { sandboxPath: path, planId, sandboxId }: SandboxContext,
  { branch: shortName, baseCommit, gitDirectory }: GitWorktreeMetadata,
): Promise<void> {
  const branch = fullBranchName(shortName);
  const commit = (await host.readRef(branch)) ?? (await makeBranch(host, branch, baseCommit));
  await host.reattachWorktree({ path, gitDirectory, branch, commit, owner: { planId, sandboxId } });
}

/** Its tip is lost: what was committed in the sandbox shows as changes of its files. */
async function makeBranch(host: WorktreeHost, name: string, base: string): Promise<ObjectId> {
  const target = parseObjectId(base);
  await host.updateRef({ name, expected: null, target, message: 'cleveragents: branch made anew' });
  return target;
}

async function dropBranch(
  host: WorktreeHost,
  clock: Clock,
  { branch, commit, keptFor }: Extract<SandboxRepairStep, { step: 'drop-branch' }>,
): Promise<string> {
  const name = fullBranchName(branch);
  const target = parseObjectId(commit);
  const worktrees = await host.listWorktrees();
  if (worktrees.some(({ head, owner }) => head.branch === name || owner?.branch === name)) return NOTHING;
  if ((await host.readRef(name)) === null) return NOTHING;
  const own = (await host.readHead()).commit;
  const isHeld = own !== null && (await host.isAncestor(target, own));
  if (!isHeld && keptFor === null)
    throw new SandboxError(
      'SANDBOX_CLEANUP_FAILED',
      `${branch} has commits that your branch has not any more`,
      {
        hint: 'Run the doctor again.',
      },
    );
  const kept = isHeld
    ? null
    : await keepUnder({ host, clock, key: planKey(parsePlanId(keptFor ?? branch)) }, target);
  await deleteUnmoved(host, name, target);
  return kept === null
    ? 'The branch is deleted.'
    : `Its commits are kept for ${RESCUE_DAYS} days as ${kept}.`;
}

async function deleteUnmoved(host: WorktreeHost, name: string, target: ObjectId): Promise<void> {
  try {
    await host.deleteRef(name, target);
  } catch (cause) {
    if (!hasCode(cause, 'GIT_REF_MOVED')) throw cause;
    throw new SandboxError('SANDBOX_CLEANUP_FAILED', `${name} moved meanwhile`, {
      hint: 'Run the doctor again.',
      cause,
    });
  }
}
