import type { ObjectId } from '@cleveragents/git-domain';
import { SandboxStateError } from '@cleveragents/sandbox-domain';
import { fullBranchName, type WorktreeSession } from './worktree-session.ts';

/**
 * Refuses what would make an apply impossible to take back whose process died before it could say that it was done.
 * @throws SandboxStateError
 */
export async function assertNotApplied(session: WorktreeSession): Promise<void> {
  const target = await findUnrecordedApply(session);
  if (target === null) return;
  throw new SandboxStateError(
    `The plan ${JSON.stringify(session.context.planId)} is in ${target} already; its apply was cut short before that was written down`,
    {
      hint: 'Apply it again: that changes nothing and writes it down. Then roll it back or clean it up.',
      data: { planId: session.context.planId, target },
    },
  );
}

/** Short name of the branch that got the sandbox's commit by an apply of ours; null when none did. */
async function findUnrecordedApply({
  host,
  memory,
  branch,
  metadata,
}: WorktreeSession): Promise<string | null> {
  const before = await memory.recall('target-before');
  const commit = before === null ? null : await host.readRef(branch);
  if (before === null || commit === null || metadata.targetBranch === null) return null;
  const tip = await host.readRef(fullBranchName(metadata.targetBranch));
  const isApplied = tip !== null && tip !== before && (await isIn(host, commit, tip));
  return isApplied && !(await isIn(host, commit, before)) ? metadata.targetBranch : null;
}

async function isIn(host: WorktreeSession['host'], commit: ObjectId, tip: ObjectId): Promise<boolean> {
  return commit === tip || (await host.isAncestor(commit, tip));
}
