import type { ObjectId } from '@cleveragents/git-domain';
import type { CapturedTree, Head, LinkedWorktree } from '@cleveragents/git-ports';
import {
  type CommitResult,
  describeDrift,
  type FileReport,
  type Fingerprint,
  type PathAndReason,
  SandboxCommitError,
  settingsThatHideTheCheckout,
  summariseFiles,
} from '@cleveragents/sandbox-domain';
import type { SandboxChanges } from '@cleveragents/sandbox-ports';
import { fileReport } from './file-reports.ts';
import { withoutLinkedPaths } from './linked-paths.ts';
import {
  fullBranchName,
  openWorktree,
  shortBranchName,
  treeOf,
  type WorktreeSession,
} from './worktree-session.ts';

/** What the worktree holds now, and where its HEAD is. */
export interface WorktreeContents {
  readonly worktree: LinkedWorktree;
  readonly head: Head;
  readonly captured: CapturedTree;
}

export async function readContents(session: WorktreeSession): Promise<WorktreeContents> {
  const worktree = await openWorktree(session);
  const captured = await captureTree(session, worktree);
  return { worktree, head: await worktree.readHead(), captured };
}

/** The same for `work`, while it is heard what else is written into the worktree. */
export async function withContents<Result>(
  session: WorktreeSession,
  work: (contents: WorktreeContents) => Promise<Result>,
): Promise<Result> {
  const worktree = await openWorktree(session);
  const captured = await captureTree(session, worktree, { watch: true });
  try {
    return await work({ worktree, head: await worktree.readHead(), captured });
  } finally {
    captured.watch?.close();
  }
}

export async function captureTree(
  session: WorktreeSession,
  worktree: LinkedWorktree,
  { watch = false }: { readonly watch?: boolean } = {},
): Promise<CapturedTree> {
  const { host, context, metadata, options } = session;
  const { linkedPaths } = metadata;
  const captured = await worktree.capture({ ...options, omit: linkedPaths, watch });
  const links = { linkedPaths, originalPath: context.originalPath };
  return { ...captured, tree: await withoutLinkedPaths(host.objects, captured.tree, links) };
}

export async function readChanges(session: WorktreeSession): Promise<SandboxChanges> {
  const { captured } = await readContents(session);
  return changesOf(await reportFiles(session, captured.tree), captured);
}

export function changesOf(files: readonly FileReport[], captured: CapturedTree): SandboxChanges {
  const { insertions, deletions } = summariseFiles(files);
  return { files, insertions, deletions, omittedFiles: omittedFiles(captured) };
}

/** The plan's files: from the base's tree to `tree`, whoever changed them. */
export async function reportFiles(
  { host, base }: WorktreeSession,
  tree: ObjectId,
): Promise<readonly FileReport[]> {
  return (await host.compareTrees(await treeOf(host, base), tree)).map(fileReport);
}

export async function readPatch(session: WorktreeSession): Promise<Uint8Array> {
  const { captured } = await readContents(session);
  return session.host.formatPatch(await treeOf(session.host, session.base), captured.tree);
}

const OMISSION_REASONS: Readonly<Record<CapturedTree['omitted'][number]['reason'], string>> = {
  'nested-repository': 'is a repository of its own',
  'special-file': 'is a socket, pipe or device',
  unreadable: 'cannot be read',
  'unusable-name': 'has a name that git does not keep',
};

export function omittedFiles({ omitted }: CapturedTree): CommitResult['omittedFiles'] {
  return omitted.map(({ path, reason }): PathAndReason => ({ path, reason: OMISSION_REASONS[reason] }));
}

/** Files with content that neither a commit nor a rescue ref can hold. */
export function unkeptFiles({ omitted }: CapturedTree): readonly PathAndReason[] {
  return omitted
    .filter(({ reason }) => reason === 'unreadable' || reason === 'unusable-name')
    .map(({ path, reason }) => ({ path, reason: OMISSION_REASONS[reason] }));
}

/** @throws SandboxCommitError `SANDBOX_BROKEN` when git would no longer find the checkout that a commit has to change. */
export async function assertCheckoutIsFound({ host, metadata, context }: WorktreeSession): Promise<void> {
  const before = metadata['fingerprint'] as Fingerprint | undefined;
  if (before === undefined) return;
  const settings = settingsThatHideTheCheckout(before, await host.readFingerprint());
  if (settings.length === 0) return;
  throw new SandboxCommitError(
    'SANDBOX_BROKEN',
    `${settings.join(' and ')} of ${context.originalPath} changed while the plan was worked on: git does not find your files any more`,
    {
      hint: 'Put it back with `cleveragents doctor --fix`, then try again.',
      data: { settings, originalPath: context.originalPath },
    },
  );
}

/** What changed in the repository itself since the sandbox was made, the sandbox's and its target's own moves excepted. */
export async function readDrift(
  { host, metadata, branch }: WorktreeSession,
  targetBranch: string | null,
): Promise<readonly string[]> {
  const before = metadata['fingerprint'] as Fingerprint | undefined;
  if (before === undefined) return [];
  const now = await host.readFingerprint();
  const refs = Object.fromEntries(
    Object.entries(now.refs).filter(([name]) => /^(HEAD$|refs\/heads\/|refs\/stash$)/.test(name)),
  );
  return describeDrift(before, { ...now, refs }, [
    branch,
    'refs/heads/cleveragents',
    ...(targetBranch === null ? [] : [fullBranchName(shortBranchName(targetBranch))]),
  ]);
}
