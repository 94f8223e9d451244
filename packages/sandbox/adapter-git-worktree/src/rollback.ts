import { type ObjectId, parseObjectId } from '@cleveragents/git-domain';
import { type CommitResult, enumerated, SandboxRollbackError } from '@cleveragents/sandbox-domain';
import type { RollbackOptions, RollbackResult } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { keepCommit, keepWork, keptSoFar, targetTip } from './rescue.ts';
import { readContents } from './sandbox-changes.ts';
import { applyUpdate, beginTargetUpdate, overlapDetails } from './target-update.ts';
import { assertNotApplied } from './unrecorded-apply.ts';
import { fullBranchName, shortBranchName, treeOf, type WorktreeSession } from './worktree-session.ts';

const MAX_COMMITS_NAMED = 10;

/** Returns the worktree to its base. What it held is rescued first, unless a commit of the target holds it. */
export async function discardChanges(session: WorktreeSession): Promise<string | null> {
  await assertNotApplied(session);
  return discardContents(session);
}

async function discardContents(session: WorktreeSession): Promise<string | null> {
  const { worktree, head, captured } = await readContents(session);
  const work = { tree: captured.tree, head: head.commit };
  const rescuedTo = await keepWork(
    session,
    work,
    await targetTip(session),
    'changes discarded by a rollback',
  );
  await worktree.restore(session.base, session.branch, session.options);
  // an earlier rollback that was cut short may have rescued it, and have put the worktree back
  return rescuedTo ?? (await keptSoFar(session))[0]?.name ?? null;
}

/** Takes a commit of the sandbox back out of the target, then returns the worktree to its base. */
export async function undoCommit(
  session: WorktreeSession,
  result: CommitResult,
  { strategy = 'reset' }: RollbackOptions,
): Promise<RollbackResult> {
  const targetRef = await undoInTarget(session, result, strategy);
  const kept = result.commitRef === null ? null : await keepCommit(session, parseObjectId(result.commitRef));
  const rescuedTo = await discardIfThere(session);
  return { rescuedTo: rescuedTo ?? kept, targetRef };
}

/** An applied sandbox may be cleaned up by now: then the target is all there is to undo. */
async function discardIfThere(session: WorktreeSession): Promise<string | null> {
  try {
    return await discardContents(session);
  } catch (error) {
    if (hasCode(error, 'GIT_WORKTREE_BROKEN')) return null;
    throw error;
  }
}

async function undoInTarget(
  session: WorktreeSession,
  { mergeRef, previousRef, targetBranch }: CommitResult,
  strategy: 'reset' | 'revert',
): Promise<ObjectId | null> {
  if (mergeRef === null || previousRef === null || targetBranch === null || mergeRef === previousRef)
    return null;
  const undo = {
    branch: fullBranchName(targetBranch),
    ours: parseObjectId(mergeRef),
    before: parseObjectId(previousRef),
  };
  const tip = await session.host.readRef(undo.branch);
  if (tip === undo.before) return tip; // undone already: an earlier rollback was cut short after this step
  if (tip === null || (tip !== undo.ours && strategy === 'reset'))
    throw await branchMoved(session, undo, tip);
  const to = tip === undo.ours && strategy === 'reset' ? undo.before : await writeRevert(session, undo, tip);
  if (to !== tip) await moveTarget(session, undo.branch, tip, to);
  return to;
}

interface Undo {
  readonly branch: string;
  /** Where our commit left the branch. */
  readonly ours: ObjectId;
  readonly before: ObjectId;
}

async function moveTarget(
  session: WorktreeSession,
  branch: string,
  from: ObjectId,
  to: ObjectId,
): Promise<void> {
  const message = `reset: cleveragents rolled back ${session.metadata.branch}`;
  const { update, overlaps } = await beginTargetUpdate(session, { branch, from, to, message });
  if (overlaps.length > 0) {
    await update.abandon();
    const { message: text, hint, data } = overlapDetails(session, update, overlaps);
    throw new SandboxRollbackError('SANDBOX_ROLLBACK_FAILED', text, {
      hint,
      data: { ...data, reason: 'target-dirty' },
    });
  }
  await applyUpdate(session, update, { branch, to });
}

/**
 * A commit on `tip` without our changes: the three-way merge of "back to before" with what came after. It is `tip` itself
 * when that holds none of them: an earlier rollback was cut short after this step.
 */
async function writeRevert(
  { host, metadata, context, options }: WorktreeSession,
  { ours, before, branch }: Undo,
  tip: ObjectId,
): Promise<ObjectId> {
  const identity = await host.readIdentity();
  const treeBefore = await treeOf(host, before);
  const message = `Revert "${metadata.branch}"\n\nThis reverts the plan ${JSON.stringify(context.planId)}, applied as commit ${ours}.\n`;
  if (tip === ours)
    return host.objects.writeCommit({ tree: treeBefore, parents: [tip], message, ...identity });
  const undone = { tree: treeBefore, parents: [ours], message, ...identity };
  const reverse = await host.objects.writeCommit(undone, { sign: false });
  const labels = { ours: shortBranchName(branch), theirs: `revert of ${metadata.branch}` };
  const merge = await host.merge({ ours: tip, theirs: reverse, fallbackBase: ours, labels }, options);
  if (merge.kind === 'up-to-date') return tip;
  if (merge.kind === 'clean' && merge.tree === (await treeOf(host, tip))) return tip;
  if (merge.kind === 'clean')
    return host.objects.writeCommit({ tree: merge.tree, parents: [tip], message, ...identity });
  const conflicts =
    merge.kind === 'conflicts' ? merge.conflicts.map(({ path, kind }) => ({ path, kind })) : [];
  throw new SandboxRollbackError(
    'SANDBOX_ROLLBACK_FAILED',
    `Later commits changed what this plan had changed: ${enumerated(conflicts.map(({ path }) => path))}`,
    {
      hint: `Revert by hand: \`git revert -m 1 ${ours}\`, and resolve the conflicts.`,
      data: { reason: 'revert-conflict', conflicts },
    },
  );
}

async function branchMoved(
  { host }: WorktreeSession,
  { branch, ours }: Undo,
  tip: ObjectId | null,
): Promise<SandboxRollbackError> {
  const short = shortBranchName(branch);
  const later = tip === null ? [] : await host.listCommits(ours, tip, MAX_COMMITS_NAMED);
  const commits = later.map(({ id, commit }) => ({ id, subject: commit.message.split('\n')[0] ?? '' }));
  const list = commits.map(({ id, subject }) => `\n  ${id.slice(0, 7)} ${subject}`).join('');
  const what = tip === null ? 'does not exist any more' : 'has moved since this plan was applied';
  return new SandboxRollbackError(
    'SANDBOX_BRANCH_MOVED',
    `The branch ${short} ${what}${list === '' ? '' : `:${list}`}`,
    {
      hint: 'Undo the plan with a commit of its own, which keeps the later ones: `cleveragents plan rollback --revert`.',
      data: { branch: short, expected: ours, actual: tip, commits },
    },
  );
}
