import type { ObjectId } from '@cleveragents/git-domain';
import type { BranchUpdate } from '@cleveragents/git-ports';
import {
  describeOverlap,
  findOverlaps,
  listed,
  type Overlap,
  type PathAndReason,
  SandboxError,
} from '@cleveragents/sandbox-domain';
import type { WorktreeSession } from './worktree-session.ts';

export interface TargetMove {
  /** Full name. */
  readonly branch: string;
  readonly from: ObjectId;
  readonly to: ObjectId;
  readonly message: string;
}

export interface CheckedUpdate {
  readonly update: BranchUpdate;
  readonly overlaps: readonly Overlap[];
  /** Files that have the new content already. */
  readonly kept: readonly PathAndReason[];
}

/**
 * Begins to move a branch of the user's and judges what is in the way. The caller applies or abandons.
 * @throws SandboxError `SANDBOX_OPERATION_IN_PROGRESS` while a merge, rebase or the like is in progress where the branch is.
 */
export async function beginTargetUpdate(session: WorktreeSession, move: TargetMove): Promise<CheckedUpdate> {
  const update = await session.host.beginBranchUpdate(move, session.options);
  try {
    assertNothingInProgress(update);
    const kept = update.facts.filter(({ disk, after }) => disk === 'after' && after !== null);
    return {
      update,
      overlaps: findOverlaps(update.facts),
      kept: kept.map(({ path }) => ({ path, reason: 'had the new content already' })),
    };
  } catch (error) {
    await update.abandon();
    throw error;
  }
}

/**
 * Applies an update. One that fails in what comes after the branch had moved, the release of a lock for instance, did
 * not fail: the rest is left to the recovery.
 */
export async function applyUpdate(
  { host }: WorktreeSession,
  update: BranchUpdate,
  { branch, to }: Pick<TargetMove, 'branch' | 'to'>,
): Promise<void> {
  try {
    await update.apply();
  } catch (error) {
    if ((await host.readRef(branch)) !== to) throw error;
  }
}

function assertNothingInProgress({ operationInProgress: operation, workTree }: BranchUpdate): void {
  if (operation === null) return;
  throw new SandboxError('SANDBOX_OPERATION_IN_PROGRESS', `A ${operation} is in progress in ${workTree}`, {
    hint: `Finish it, or abort it with \`git ${operation} --abort\`, then try again.`,
    data: { operation, workTree },
  });
}

/** The refusal for overlaps: every path and why, and what to do. */
export function overlapDetails(
  session: WorktreeSession,
  update: BranchUpdate,
  overlaps: readonly Overlap[],
): { readonly message: string; readonly hint: string; readonly data: Readonly<Record<string, unknown>> } {
  const where = update.workTree ?? session.context.originalPath;
  const list = listed(overlaps.map(describeOverlap));
  return {
    message: `${where} has changes of yours where this one would write:\n${list}`,
    hint: 'Commit, stash or move them, then try again. Nothing was changed.',
    data: { workTree: where, overlaps },
  };
}
