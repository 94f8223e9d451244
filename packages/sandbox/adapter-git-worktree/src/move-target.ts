import type { ObjectId } from '@cleveragents/git-domain';
import type { MergeResult } from '@cleveragents/git-ports';
import { type CommitResult, enumerated, listed, SandboxCommitError } from '@cleveragents/sandbox-domain';
import type { SandboxConflict } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { keepCommit } from './rescue.ts';
import { captureTree, type WorktreeContents } from './sandbox-changes.ts';
import { applyUpdate, beginTargetUpdate, type CheckedUpdate, overlapDetails } from './target-update.ts';
import { findEarlierMerge, forgetAttempt } from './unrecorded-apply.ts';
import { shortBranchName, type WorktreeSession } from './worktree-session.ts';

/** What is to be merged, and into what. */
export interface TargetChange {
  readonly target: string;
  readonly commit: ObjectId;
  readonly contents: WorktreeContents;
  readonly message: string;
}

/** Merges until the target stood still for long enough to be moved. */
export async function moveTarget(
  session: WorktreeSession,
  change: TargetChange,
): Promise<Pick<CommitResult, 'mergeRef' | 'previousRef' | 'keptFiles'>> {
  const deadline = performance.now() + session.timeoutMs;
  for (;;) {
    const tip = await readTip(session, change.target);
    const merge = await mergeWithTarget(session, tip, change.commit, change.target);
    if (merge.kind === 'conflicts') throw mergeConflict(session, change.target, conflictsOf(merge));
    const to = await destination(session, merge, { ...change, tip });
    if (to === tip) {
      await assertStill(session, change.contents);
      await recordCommit(session, change);
      return { ...(await findEarlierMerge(session, tip, change.commit)), keptFiles: [] };
    }
    const how = merge.kind === 'fast-forward' ? 'Fast-forward' : "Merge made by the 'cleveragents' strategy.";
    const reflog = `merge ${session.metadata.branch}: ${how}`;
    try {
      const checked = await beginTargetUpdate(session, {
        branch: change.target,
        from: tip,
        to,
        message: reflog,
      });
      await applyChecked(session, { ...change, tip, to }, checked);
      return { mergeRef: to, previousRef: tip, keptFiles: [...checked.kept] };
    } catch (error) {
      if (!hasCode(error, 'GIT_REF_MOVED') || performance.now() >= deadline) throw error;
    }
  }
}

async function applyChecked(
  session: WorktreeSession,
  change: TargetChange & { readonly tip: ObjectId; readonly to: ObjectId },
  checked: CheckedUpdate,
): Promise<void> {
  const { update, overlaps } = checked;
  try {
    if (overlaps.length > 0) {
      const { message, hint, data } = overlapDetails(session, update, overlaps);
      throw new SandboxCommitError('SANDBOX_TARGET_DIRTY', message, { hint, data });
    }
    await assertStill(session, change.contents);
    await recordCommit(session, change);
    await session.memory.rememberTarget({ branch: shortBranchName(change.target), commit: change.tip });
  } catch (error) {
    await update.abandon();
    throw error;
  }
  try {
    await applyUpdate(session, update, { branch: change.target, to: change.to });
  } catch (error) {
    await forgetAttempt(session);
    throw error;
  }
}

/** @throws SandboxCommitError `SANDBOX_WORKTREE_MOVING` when the worktree is no longer what was read. */
async function assertStill(
  session: WorktreeSession,
  { worktree, captured }: WorktreeContents,
): Promise<void> {
  if (await captured.watch?.isQuiet()) return;
  const now = await captureTree(session, worktree);
  if (now.tree === captured.tree) return;
  const moving = await session.host.compareTrees(captured.tree, now.tree);
  throw new SandboxCommitError(
    'SANDBOX_WORKTREE_MOVING',
    `A process still writes into the sandbox: ${enumerated(moving.map(({ path }) => path))}`,
    { hint: 'Stop it, then try again.', data: { paths: moving.map(({ path }) => path) } },
  );
}

/** Puts the commit on the sandbox's own branch; what the agent had there and the commit does not hold is kept. */
async function recordCommit(
  session: WorktreeSession,
  { commit, contents, message }: TargetChange,
): Promise<void> {
  const { host, branch } = session;
  const tip = await host.readRef(branch);
  if (tip === null) {
    await host.updateRef({
      name: branch,
      expected: null,
      target: commit,
      message: 'cleveragents: branch restored',
    });
  } else if (tip !== commit && !(await host.isAncestor(tip, commit))) {
    await keepCommit(session, tip);
  }
  const [subject = ''] = message.split('\n');
  await contents.worktree.record(commit, { name: branch, expected: tip ?? commit }, `commit: ${subject}`);
}

export async function readTip({ host, context }: WorktreeSession, target: string): Promise<ObjectId> {
  const tip = await host.readRef(target);
  if (tip !== null) return tip;
  const short = shortBranchName(target);
  throw new SandboxCommitError(
    'SANDBOX_NO_TARGET',
    `The branch ${short} does not exist in ${context.originalPath}`,
    {
      hint: `Make it again (\`git branch ${short}\`), or name another: \`plan apply --into <branch>\`.`,
      data: { targetBranch: short },
    },
  );
}

export function mergeWithTarget(
  { host, base, metadata, options }: WorktreeSession,
  ours: ObjectId,
  theirs: ObjectId,
  target: string,
): Promise<MergeResult> {
  const labels = { ours: shortBranchName(target), theirs: metadata.branch };
  return host.merge({ ours, theirs, fallbackBase: base, labels }, options);
}

/** Where the target is to stand. */
export async function destination(
  { host, metadata }: WorktreeSession,
  merge: Exclude<MergeResult, { kind: 'conflicts' }>,
  { tip, commit, target }: { readonly tip: ObjectId; readonly commit: ObjectId; readonly target: string },
): Promise<ObjectId> {
  if (merge.kind === 'up-to-date') return tip;
  if (merge.kind === 'fast-forward') return commit;
  return host.objects.writeCommit({
    tree: merge.tree,
    parents: [tip, commit],
    message: `Merge branch '${metadata.branch}' into ${shortBranchName(target)}\n`,
    ...(await host.readIdentity()),
  });
}

export function conflictsOf(merge: Extract<MergeResult, { kind: 'conflicts' }>): readonly SandboxConflict[] {
  return merge.conflicts.map(({ path, kind, detail }) => ({ path, kind, detail }));
}

function mergeConflict(
  { metadata, context }: WorktreeSession,
  target: string,
  conflicts: readonly SandboxConflict[],
): SandboxCommitError {
  const list = listed(conflicts.map(({ path, kind }) => `${path} (${kind})`));
  return new SandboxCommitError(
    'SANDBOX_MERGE_CONFLICT',
    `${shortBranchName(target)} and ${metadata.branch} changed the same places:\n${list}`,
    {
      hint: `Bring the other side in with \`cleveragents plan refresh\`, resolve the conflicts in ${context.sandboxPath}, and apply again.`,
      data: { targetBranch: shortBranchName(target), branch: metadata.branch, conflicts },
    },
  );
}
