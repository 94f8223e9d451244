import type { ObjectId } from '@cleveragents/git-domain';
import {
  type CommitResult,
  type FileReport,
  enumerated,
  looksLikeMassDeletion,
  NOTHING_COMMITTED,
  SandboxCommitError,
  summariseFiles,
} from '@cleveragents/sandbox-domain';
import type { CommitOptions, CommitPreview } from '@cleveragents/sandbox-ports';
import { conflictsOf, destination, mergeWithTarget, moveTarget, readTip } from './move-target.ts';
import {
  assertCheckoutIsFound,
  changesOf,
  omittedFiles,
  readContents,
  readDrift,
  reportFiles,
  withContents,
  type WorktreeContents,
} from './sandbox-changes.ts';
import { beginTargetUpdate } from './target-update.ts';
import { assertNotApplied } from './unrecorded-apply.ts';
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
  const drift = await readDrift(session, options.targetBranch ?? session.metadata.targetBranch);
  const omitted = omittedFiles(contents.captured);
  if (files.length === 0 && contents.captured.mergeHead === null)
    return { ...NOTHING_COMMITTED, omittedFiles: omitted, drift: [...drift] };
  const target = targetBranchOf(session, options);
  await assertCheckoutIsFound(session);
  await assertNotApplied(session, { exceptTo: shortBranchName(target) });
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
