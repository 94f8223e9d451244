import { join } from 'node:path';
import { describeOverlap, listed, type Overlap, SandboxRollbackError } from '@cleveragents/sandbox-domain';
import type { RollbackOptions } from '@cleveragents/sandbox-ports';
import { type Applied, APPLIED, UNDONE } from './applied.ts';
import { type Change, type Entry, leafOf } from './entry.ts';
import { exchange, type Source } from './exchange.ts';
import { PathTaken } from './exchange-steps.ts';
import { examineTarget } from './original-facts.ts';
import { mergePath } from './path-merge.ts';
import { type CopySession, readBelow } from './session.ts';

/**
 * Takes what was applied back out of the project: only where the files still hold it, or, as a revert, by a merge that
 * keeps what came after.
 * @throws SandboxRollbackError; nothing has changed then.
 */
export async function undoApplied(
  session: CopySession,
  { folder: applied }: Applied,
  { strategy = 'reset' }: RollbackOptions,
): Promise<void> {
  const { context, folder, state, pace } = session;
  const root = context.originalPath;
  pace.begin('undoing', applied.changes.length);
  const back = applied.changes.map(({ path, before, after }) => ({ path, before: after, after: before }));
  const { facts, overlaps } = examineTarget(root, back);
  if (overlaps.length > 0 && strategy === 'reset') throw movedOn(root, overlaps);
  const merged = new Map(overlaps.map(({ path }) => [path, mergeBack(root, path, applied.read, back)]));
  const unmerged = overlaps.filter(({ path }) => merged.get(path) === null);
  if (unmerged.length > 0) throw notReverted(root, unmerged);
  const wanted = facts.map((fact) => {
    const merge = merged.get(fact.change.path) ?? null;
    if (merge === null) return fact;
    const change = { ...fact.change, before: merge.present, after: merge.result };
    return { change, present: merge.present, isNeeded: true };
  });
  try {
    await exchange({
      journal: state.journal,
      root,
      facts: wanted,
      sourceOf: (path): Source => {
        const merge = merged.get(path);
        if (merge?.bytes !== undefined) return { bytes: merge.bytes };
        const change = applied.changes.find((each) => each.path === path) as Change;
        return { bytes: applied.read(change, 'before') };
      },
      folderModes: () => 0o755,
      renames: [{ from: join(folder, APPLIED), to: join(folder, UNDONE) }],
      discards: [],
      durable: true,
      pace,
      lastLook: async () => pace.assertGoing(),
    });
  } catch (error) {
    if (error instanceof PathTaken)
      throw movedOn(root, [{ path: error.path, reason: 'modified', other: null }]);
    throw error;
  }
}

interface MergedBack {
  readonly present: Entry;
  readonly result: Entry;
  readonly bytes: Uint8Array;
}

/** What is there now without what was applied; null when that cannot be told. */
function mergeBack(
  root: string,
  path: string,
  read: Applied['folder']['read'],
  changes: readonly Change[],
): MergedBack | null {
  const change = changes.find((each) => each.path === path);
  if (change === undefined || leafOf(change.before)?.kind !== 'file') return null;
  const { facts } = examineTarget(root, [change]);
  const present = facts[0]?.present ?? null;
  if (present === null || present === 'special' || present.kind !== 'file') return null;
  // in the folder, before and after are those of the apply
  const applied: Change = { path, before: change.after, after: change.before };
  const merge = mergePath({
    path,
    base: change.before,
    ours: present,
    theirs: change.after,
    read: (side) =>
      side === 'ours' ? readBelow(root, path) : read(applied, side === 'base' ? 'after' : 'before'),
  });
  if (merge.conflict !== null || merge.result === null || merge.result.kind !== 'file') return null;
  return { present, result: merge.result, bytes: merge.bytes ?? readBelow(root, path) };
}

function movedOn(root: string, overlaps: readonly Overlap[]): SandboxRollbackError {
  return new SandboxRollbackError(
    'SANDBOX_BRANCH_MOVED',
    `Files in ${root} were changed after this plan was applied:\n${listed(overlaps.map(describeLater))}`,
    {
      hint: 'Undo the plan and keep what came after: `cleveragents plan rollback --revert`.',
      data: { originalPath: root, changed: overlaps },
    },
  );
}

function notReverted(root: string, overlaps: readonly Overlap[]): SandboxRollbackError {
  return new SandboxRollbackError(
    'SANDBOX_ROLLBACK_FAILED',
    `Later changes in ${root} are in the same places as those of this plan:\n${listed(overlaps.map(describeLater))}`,
    {
      hint: 'Change these files by hand: `cleveragents plan show` says what the plan did in them.',
      data: { originalPath: root, reason: 'revert-conflict', changed: overlaps },
    },
  );
}

const LATER: Readonly<Partial<Record<Overlap['reason'], string>>> = {
  modified: 'was changed since',
  deleted: 'was deleted since',
  untracked: 'was made anew since',
};

function describeLater(overlap: Overlap): string {
  const what = LATER[overlap.reason];
  return what === undefined ? describeOverlap(overlap) : `${overlap.path} ${what}`;
}
