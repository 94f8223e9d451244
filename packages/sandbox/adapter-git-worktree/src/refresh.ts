import { enumerated, SandboxCommitError } from '@cleveragents/sandbox-domain';
import type { RefreshResult } from '@cleveragents/sandbox-ports';
import { assertNotApplied } from './unrecorded-apply.ts';
import { readContents, type WorktreeContents } from './sandbox-changes.ts';
import { targetTip } from './rescue.ts';
import { treeOf, type WorktreeSession } from './worktree-session.ts';
import type { ObjectId } from '@cleveragents/git-domain';

/**
 * Merges the target's new commits into the sandbox. What the sandbox holds becomes a commit of its own branch first, so
 * that nothing is lost whatever the merge does.
 */
export async function refreshSandbox(session: WorktreeSession): Promise<RefreshResult> {
  const { host, base, branch, metadata, options } = session;
  await assertNotApplied(session);
  const contents = await readContents(session);
  assertNoMergeInProgress(contents);
  const tip = await targetTip(session);
  if (tip === null || (await host.isAncestor(tip, contents.head.commit ?? base)))
    return { kind: 'up-to-date', conflicts: [], base };
  const ours = await commitBeforeRefresh(session, contents);
  const labels = { ours: metadata.branch, theirs: metadata.targetBranch ?? 'HEAD' };
  const merge = await host.merge({ ours, theirs: tip, fallbackBase: base, labels }, options);
  const message = `Merge branch '${labels.theirs}' into ${metadata.branch}`;
  await session.memory.rememberBase(tip);
  switch (merge.kind) {
    case 'up-to-date':
      return { kind: 'up-to-date', conflicts: [], base };
    case 'fast-forward':
      await contents.worktree.restore(tip, branch, options);
      return { kind: 'merged', conflicts: [], base: tip };
    case 'clean': {
      const identity = await host.readIdentity();
      const commit = { tree: merge.tree, parents: [ours, tip], message: `${message}\n`, ...identity };
      await contents.worktree.restore(await host.objects.writeCommit(commit), branch, options);
      return { kind: 'merged', conflicts: [], base: tip };
    }
    case 'conflicts': {
      const { markedTree, conflicts } = merge;
      await contents.worktree.beginMerge({ theirs: tip, markedTree, conflicts, message: `${message}\n` });
      return {
        kind: 'conflicts',
        conflicts: conflicts.map(({ path, kind, detail }) => ({ path, kind, detail })),
        base: tip,
      };
    }
  }
}

function assertNoMergeInProgress({ captured, worktree }: WorktreeContents): void {
  if (captured.mergeHead === null) return;
  const left = captured.unresolved.length > 0 ? `: ${enumerated(captured.unresolved)}` : '';
  throw new SandboxCommitError('SANDBOX_UNRESOLVED_CONFLICTS', `An earlier refresh is not finished${left}`, {
    hint: `Resolve the conflicts in ${worktree.path} and apply, or commit them there with git.`,
    data: { paths: captured.unresolved },
  });
}

/** The sandbox's state as a commit of its branch. The agent's own commits stay as they are. */
async function commitBeforeRefresh(
  { host, base, branch }: WorktreeSession,
  { worktree, head, captured }: WorktreeContents,
): Promise<ObjectId> {
  const parent = head.commit ?? base;
  const unchanged = captured.tree === (await treeOf(host, parent));
  const commit = unchanged
    ? parent
    : await host.objects.writeCommit({
        tree: captured.tree,
        parents: [parent],
        message: 'cleveragents: work before refresh\n',
        ...(await host.readIdentity()),
      });
  const expected = (await host.readRef(branch)) ?? parent;
  if (commit !== expected || head.branch !== branch)
    await worktree.record(commit, { name: branch, expected }, 'commit: work before refresh');
  return commit;
}
