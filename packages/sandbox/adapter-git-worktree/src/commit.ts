import type { ObjectId } from '@cleveragents/git-domain';
import type { MergeResult } from '@cleveragents/git-ports';
import {
  type CommitResult,
  type FileReport,
  enumerated,
  listed,
  looksLikeMassDeletion,
  NOTHING_COMMITTED,
  SandboxCommitError,
  summariseFiles,
} from '@cleveragents/sandbox-domain';
import type { CommitOptions, CommitPreview, SandboxConflict } from '@cleveragents/sandbox-ports';
import { hasCode } from '@cleveragents/shared-kernel';
import { keepCommit } from './rescue.ts';
import {
  captureTree,
  changesOf,
  omittedFiles,
  readContents,
  readDrift,
  reportFiles,
  withContents,
  type WorktreeContents,
} from './sandbox-changes.ts';
import { applyUpdate, beginTargetUpdate, type CheckedUpdate, overlapDetails } from './target-update.ts';
import { findEarlierMerge, forgetAttempt } from './unrecorded-apply.ts';
import { fullBranchName, shortBranchName, treeOf, type WorktreeSession } from './worktree-session.ts';

/**
 * Commits the worktree as it stands and merges the commit into the target branch. All checks come before the first
 * change: conflicts on objects alone, then overlaps under the locks that the update holds to its end.
 */
export async function commitSandbox(
  session: WorktreeSession,
  message: string,
  options: CommitOptions,
): Promise<CommitResult> {
  return withContents(session, (contents) => commitContents(session, contents, message, options));
}

async function commitContents(
  session: WorktreeSession,
  contents: WorktreeContents,
  message: string,
  options: CommitOptions,
): Promise<CommitResult> {
  assertResolved(contents);
  const files = await reportFiles(session, contents.captured.tree);
  await assertNotSwept(session, contents, files, options);
  const drift = await readDrift(session);
  const omitted = omittedFiles(contents.captured);
  if (files.length === 0 && contents.captured.mergeHead === null)
    return { ...NOTHING_COMMITTED, omittedFiles: omitted, drift: [...drift] };
  const target = targetBranchOf(session, options);
  const commit = await writeSandboxCommit(session, contents, message);
  const moved = await moveTarget(session, { target, commit, contents, message });
  return {
    ...NOTHING_COMMITTED,
    ...summariseFiles(files),
    ...moved,
    commitRef: commit,
    targetBranch: shortBranchName(target),
    omittedFiles: omitted,
    drift: [...drift],
  };
}

/** What {@link commitSandbox} would meet. Writes objects only, which nothing refers to. */
export async function previewCommit(
  session: WorktreeSession,
  options: CommitOptions,
): Promise<CommitPreview> {
  const contents = await readContents(session);
  assertResolved(contents);
  const changes = changesOf(await reportFiles(session, contents.captured.tree), contents.captured);
  if (changes.files.length === 0) return { ...changes, targetBranch: null, conflicts: [], overlaps: [] };
  const target = targetBranchOf(session, options);
  const commit = await writeSandboxCommit(session, contents, 'preview');
  const tip = await readTip(session, target);
  const merge = await mergeWithTarget(session, tip, commit, target);
  const targetBranch = shortBranchName(target);
  if (merge.kind === 'conflicts')
    return { ...changes, targetBranch, conflicts: conflictsOf(merge), overlaps: [] };
  const to = await destination(session, merge, { tip, commit, target });
  if (to === tip) return { ...changes, targetBranch, conflicts: [], overlaps: [] };
  const { update, overlaps } = await beginTargetUpdate(session, {
    branch: target,
    from: tip,
    to,
    message: 'preview',
  });
  await update.abandon();
  return { ...changes, targetBranch, conflicts: [], overlaps };
}

function assertResolved({ captured, worktree }: WorktreeContents): void {
  if (captured.unresolved.length === 0) return;
  throw new SandboxCommitError(
    'SANDBOX_UNRESOLVED_CONFLICTS',
    `Conflict markers are left in the sandbox: ${enumerated(captured.unresolved)}`,
    {
      hint: `Edit these files in ${worktree.path}, remove the lines that begin with <<<<<<<, ======= and >>>>>>>, then try again.`,
      data: { paths: captured.unresolved },
    },
  );
}

/** Counts only what is gone without a commit or an index that says so: what the agent deleted on purpose is recorded. */
async function assertNotSwept(
  session: WorktreeSession,
  { captured, head, worktree }: WorktreeContents,
  files: readonly FileReport[],
  { allowMassDeletion = false }: CommitOptions,
): Promise<void> {
  if (allowMassDeletion) return;
  const isAtBase = head.commit === null || head.commit === session.base;
  const changes = isAtBase
    ? files
    : await session.host.compareTrees(await treeOf(session.host, head.commit), captured.tree);
  const deletedFiles = changes.filter(({ kind }) => kind === 'deleted').length;
  const addedFiles = changes.filter(({ kind }) => kind === 'added').length;
  const filesBefore = captured.fileCount + deletedFiles - addedFiles;
  if (!looksLikeMassDeletion({ deletedFiles, filesBefore })) return;
  throw new SandboxCommitError(
    'SANDBOX_MASS_DELETION',
    `${deletedFiles} of ${filesBefore} files are gone from ${worktree.path}, as after a clean-up of temporary files`,
    {
      hint: 'If the plan deleted them, allow it: `plan apply --allow-mass-deletion`. If not, restore the sandbox first.',
      data: { deletedFiles, filesBefore },
    },
  );
}

function targetBranchOf(
  { metadata, context, branch }: WorktreeSession,
  { targetBranch }: CommitOptions,
): string {
  const short = targetBranch === undefined ? metadata.targetBranch : shortBranchName(targetBranch);
  if (short !== null && fullBranchName(short) === branch)
    throw new SandboxCommitError('SANDBOX_NO_TARGET', `${short} is the sandbox's own branch`, {
      hint: 'Name a branch of yours: `cleveragents plan apply --into <branch>`.',
      data: { targetBranch: short },
    });
  if (short !== null && short !== '') return fullBranchName(short);
  throw new SandboxCommitError(
    'SANDBOX_NO_TARGET',
    `${context.originalPath} was on no branch when the sandbox was made`,
    {
      hint: 'Name the branch to merge into: `cleveragents plan apply --into <branch>`.',
      data: { originalPath: context.originalPath },
    },
  );
}

/** The commit of the worktree's tree; the agent's own last commit when that holds the same tree already. */
async function writeSandboxCommit(
  { host, base }: WorktreeSession,
  { captured, head }: WorktreeContents,
  message: string,
): Promise<ObjectId> {
  const parents = await parentsOf(host, head.commit ?? base, base);
  const [first] = parents;
  if (captured.mergeHead === null && parents.length === 1 && first !== undefined && first !== base)
    if ((await treeOf(host, first)) === captured.tree) return first;
  return host.objects.writeCommit({
    tree: captured.tree,
    parents: captured.mergeHead === null ? parents : [...parents, captured.mergeHead],
    message: message.endsWith('\n') ? message : `${message}\n`,
    ...(await host.readIdentity()),
  });
}

/** HEAD's commit, with the base as first parent when the agent left the base's history. */
async function parentsOf(
  host: WorktreeSession['host'],
  head: ObjectId,
  base: ObjectId,
): Promise<readonly ObjectId[]> {
  if (head === base || (await host.isAncestor(base, head))) return [head];
  return (await host.isAncestor(head, base)) ? [base] : [base, head];
}

interface TargetChange {
  readonly target: string;
  readonly commit: ObjectId;
  readonly contents: WorktreeContents;
  readonly message: string;
}

/** Merges until the target stood still for long enough to be moved. */
async function moveTarget(
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
    await session.memory.remember('target-before', change.tip);
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

async function readTip({ host, context }: WorktreeSession, target: string): Promise<ObjectId> {
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

function mergeWithTarget(
  { host, base, metadata, options }: WorktreeSession,
  ours: ObjectId,
  theirs: ObjectId,
  target: string,
): Promise<MergeResult> {
  const labels = { ours: shortBranchName(target), theirs: metadata.branch };
  return host.merge({ ours, theirs, fallbackBase: base, labels }, options);
}

/** Where the target is to stand. */
async function destination(
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

function conflictsOf(merge: Extract<MergeResult, { kind: 'conflicts' }>): readonly SandboxConflict[] {
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
