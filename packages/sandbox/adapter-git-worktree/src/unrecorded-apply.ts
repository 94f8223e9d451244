import type { ObjectId } from '@cleveragents/git-domain';
import { type CommitResult, SandboxStateError } from '@cleveragents/sandbox-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { fullBranchName, type WorktreeSession } from './worktree-session.ts';

/** A merge of ours that is further back than this was not cut short by a crash just now. */
const MAX_COMMITS_SEARCHED = 1000;

/**
 * Refuses what would make an apply impossible to take back whose process died before it could say that it was done.
 * @param exceptTo short name of a branch: the caller is about to find an apply to that one, and to write it down.
 * @throws SandboxStateError
 */
export async function assertNotApplied(
  session: WorktreeSession,
  { exceptTo }: { readonly exceptTo?: string } = {},
): Promise<void> {
  const target = await findUnrecordedApply(session);
  if (target === null || target === exceptTo) return;
  const isUsual = target === session.metadata.targetBranch;
  throw new SandboxStateError(
    `The plan ${JSON.stringify(session.context.planId)} is in ${target} already; its apply was cut short before that was written down`,
    {
      hint: `Apply it again${isUsual ? '' : ` (\`cleveragents plan apply --into ${target}\`)`}: that changes nothing and writes it down. Then roll it back or clean it up.`,
      data: { planId: session.context.planId, target },
    },
  );
}

/** Short name of the branch that got the sandbox's commit by an apply of ours; null when none did. */
async function findUnrecordedApply({ host, memory, branch }: WorktreeSession): Promise<string | null> {
  const before = await memory.recallTarget();
  const commit = before === null ? null : await host.readRef(branch);
  if (before === null || commit === null) return null;
  const tip = await host.readRef(fullBranchName(before.branch));
  const isApplied = tip !== null && tip !== before.commit && (await isIn(host, commit, tip));
  return isApplied && !(await isIn(host, commit, before.commit)) ? before.branch : null;
}

async function isIn(host: WorktreeSession['host'], commit: ObjectId, tip: ObjectId): Promise<boolean> {
  return commit === tip || (await host.isAncestor(commit, tip));
}

/**
 * Where the target stood before and after it got `commit`, which it has already: a process died between moving the
 * target and saying so, or the agent merged by itself.
 */
export async function findEarlierMerge(
  { host, base, memory }: WorktreeSession,
  tip: ObjectId,
  commit: ObjectId,
): Promise<Pick<CommitResult, 'mergeRef' | 'previousRef'>> {
  for (const { id, commit: each } of await host.listCommits(base, tip, MAX_COMMITS_SEARCHED)) {
    const [first, second] = each.parents;
    if (second === commit && first !== undefined) return { mergeRef: id, previousRef: first };
  }
  // a fast-forward leaves no commit of its own
  return { mergeRef: commit, previousRef: (await memory.recallTarget())?.commit ?? base };
}

/**
 * After an apply that failed. What cannot be forgotten now does no harm: it counts only once the target holds the
 * sandbox's commit.
 */
export async function forgetAttempt({ memory }: WorktreeSession): Promise<void> {
  try {
    await memory.forgetTarget();
  } catch (error) {
    if (!hasCode(error, 'GIT_FILE_SYSTEM', 'GIT_LOCKED', 'GIT_REF_MOVED')) throw error;
  }
}
