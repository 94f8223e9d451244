import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { join } from 'node:path';
import {
  type CommitResult,
  describeOverlap,
  listed,
  looksLikeMassDeletion,
  NOTHING_COMMITTED,
  type Overlap,
  SandboxCommitError,
  summariseFiles,
} from '@cleveragents/sandbox-domain';
import type { CommitOptions, CommitPreview, SandboxConflict } from '@cleveragents/sandbox-ports';
import { APPLIED, APPLYING, readApplied, UNDONE } from './applied.ts';
import { WrongBytes, writeChangeFolder } from './change-folder.ts';
import { leafOf } from './entry.ts';
import { exchange, SourceMoving } from './exchange.ts';
import { changesTaken } from './exchange-plan.ts';
import { PathTaken } from './exchange-steps.ts';
import { FileMoving } from './file-bytes.ts';
import { examineTarget, type PathFacts, type TargetFacts } from './original-facts.ts';
import { assertResolved, type Contents, type CopySession, readContents, reportFiles } from './session.ts';
import { differencesBetween, nameOfChanges } from './tree-difference.ts';
import { omissionsOf } from './tree-scan.ts';
import { removeWhole } from './removal.ts';
import { undoApplied } from './undo.ts';

/** Takes the sandbox's changes into the project. All checks come before the first write. */
export async function commitSandbox(session: CopySession, options: CommitOptions): Promise<CommitResult> {
  const contents = await readContents(session);
  assertResolved(session, contents);
  assertStandsStill(session, contents);
  assertNotSwept(session, contents, options);
  const id = nameOfChanges(contents.changes);
  const earlier = readApplied(session);
  if (earlier !== null) {
    // cut short before it could be written down; what was done since then is a plan to apply of its own
    if (earlier.result.commitRef === id) return earlier.result;
    await undoApplied(session, earlier, { strategy: 'reset' });
  }
  const omittedFiles = [...omissionsOf(contents.scan)];
  if (contents.changes.length === 0) return { ...NOTHING_COMMITTED, omittedFiles };
  const target = examineTarget(session.context.originalPath, contents.changes);
  assertFree(session, target);
  const files = await reportFiles(contents);
  const result: CommitResult = {
    ...NOTHING_COMMITTED,
    ...summariseFiles(files),
    commitRef: id,
    keptFiles: keptFiles(target.facts),
    omittedFiles,
  };
  return apply(session, contents, target.facts, result);
}

/** What {@link commitSandbox} would meet. */
export async function previewCommit(session: CopySession): Promise<CommitPreview> {
  const contents = await readContents(session);
  assertResolved(session, contents);
  const files = await reportFiles(contents);
  const { insertions, deletions } = summariseFiles(files);
  const { overlaps } = examineTarget(session.context.originalPath, contents.changes);
  const { conflicts, obstacles } = judged(overlaps);
  const omittedFiles = omissionsOf(contents.scan);
  return { files, insertions, deletions, omittedFiles, targetBranch: null, conflicts, overlaps: obstacles };
}

async function apply(
  session: CopySession,
  contents: Contents,
  facts: readonly PathFacts[],
  result: CommitResult,
): Promise<CommitResult> {
  const { context, folder, state, pace } = session;
  pace.begin('applying', facts.length);
  const applying = join(folder, APPLYING);
  await removeWhole(join(folder, UNDONE));
  try {
    const said = await exchange({
      journal: state.journal,
      root: context.originalPath,
      facts,
      sourceOf: (path) => ({ root: context.sandboxPath, path }),
      folderModes: (path) => folderMode(contents, path),
      renames: [{ from: applying, to: join(folder, APPLIED) }],
      discards: [applying, `${applying}.new`],
      durable: true,
      pace,
      lastLook: async () => {
        await assertUnchanged(session, contents);
        await writeChangeFolder(applying, {
          planId: context.planId,
          changes: changesTaken(facts),
          read: contents.read,
          notes: { result },
        });
      },
    });
    return said.length === 0 ? result : { ...result, drift: [...result.drift, ...said] };
  } catch (error) {
    throw refusalOf(session, error);
  }
}

function folderMode({ scan }: Contents, path: string): number {
  const entry = scan.entries.get(path)?.entry;
  return entry?.kind === 'directory' ? entry.mode : 0o755;
}

function refusalOf(session: CopySession, error: unknown): unknown {
  if (error instanceof PathTaken) {
    const conflict = { path: error.path, kind: 'modified', detail: 'was changed while it was applied' };
    return conflictsError(session, [conflict], []);
  }
  if (error instanceof SourceMoving || error instanceof WrongBytes || error instanceof FileMoving)
    return moving(session, error.message);
  // a path that was there is not, or leads elsewhere: on either side, for what is missing of ours is no such thing
  if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return moving(session, messageOf(error));
  return error;
}

function keptFiles(facts: readonly PathFacts[]): CommitResult['keptFiles'] {
  return facts
    .filter(({ change, isNeeded }) => !isNeeded && leafOf(change.after) !== null)
    .map(({ change }) => ({ path: change.path, reason: 'had the new content already' }));
}

function assertNotSwept(
  { context }: CopySession,
  { manifest, scan, changes }: Contents,
  { allowMassDeletion = false }: CommitOptions,
): void {
  if (allowMassDeletion) return;
  const isLeaf = ({ entry }: { readonly entry: { readonly kind: string } }): boolean =>
    entry.kind !== 'directory';
  const filesBefore = [...manifest.entries.values()].filter(isLeaf).length;
  const deletedFiles = changes.filter(
    ({ path, before }) => leafOf(before) !== null && !scan.entries.has(path),
  ).length;
  if (!looksLikeMassDeletion({ deletedFiles, filesBefore })) return;
  throw new SandboxCommitError(
    'SANDBOX_MASS_DELETION',
    `${deletedFiles} of ${filesBefore} files are gone from ${context.sandboxPath}, as after a clean-up of temporary files`,
    {
      hint: 'If the plan deleted them, allow it: `plan apply --allow-mass-deletion`. If not, restore the sandbox first.',
      data: { deletedFiles, filesBefore },
    },
  );
}

function assertStandsStill(session: CopySession, { scan }: Contents): void {
  const [first] = scan.moving;
  if (first !== undefined) throw moving(session, first);
}

/** A process that still writes shows between two looks. */
async function assertUnchanged(session: CopySession, before: Contents): Promise<void> {
  const now = await readContents(session, before.manifest);
  assertStandsStill(session, now);
  const [first] = differencesBetween(before.scan.entries, now.scan.entries);
  if (first !== undefined) throw new SourceMoving(first.path);
}

function moving({ context }: CopySession, path: string): SandboxCommitError {
  return new SandboxCommitError(
    'SANDBOX_WORKTREE_MOVING',
    `Somebody still writes into the sandbox or the project: ${path}`,
    {
      hint: 'Stop the process that still writes there, then try again.',
      data: { path, sandboxPath: context.sandboxPath },
    },
  );
}

function assertFree(session: CopySession, { overlaps }: TargetFacts): void {
  if (overlaps.length === 0) return;
  const { conflicts, obstacles } = judged(overlaps);
  if (conflicts.length > 0) throw conflictsError(session, conflicts, obstacles);
  const { originalPath } = session.context;
  throw new SandboxCommitError(
    'SANDBOX_TARGET_DIRTY',
    `Something is in the way in ${originalPath}:\n${listed(obstacles.map(describeOverlap))}`,
    {
      hint: 'Move it away, then try again. Nothing was changed.',
      data: { originalPath, overlaps: obstacles },
    },
  );
}

const CONFLICTS: Readonly<Partial<Record<Overlap['reason'], string>>> = {
  modified: 'the project changed it since the sandbox was made, and so did the plan',
  deleted: 'the project deleted it since the sandbox was made, and the plan changed it',
  untracked: 'the project and the plan both made it',
};

/** What both sides changed is a conflict, which a refresh brings together; everything else just stands in the way. */
function judged(overlaps: readonly Overlap[]): {
  readonly conflicts: readonly SandboxConflict[];
  readonly obstacles: readonly Overlap[];
} {
  const conflicts = overlaps.flatMap(({ path, reason }) => {
    const detail = CONFLICTS[reason];
    return detail === undefined ? [] : [{ path, kind: reason === 'untracked' ? 'added' : reason, detail }];
  });
  return { conflicts, obstacles: overlaps.filter(({ reason }) => CONFLICTS[reason] === undefined) };
}

function conflictsError(
  { context }: CopySession,
  conflicts: readonly SandboxConflict[],
  overlaps: readonly Overlap[],
): SandboxCommitError {
  const lines = [
    ...conflicts.map(({ path, detail }) => `${path}: ${detail}`),
    ...overlaps.map(describeOverlap),
  ];
  return new SandboxCommitError(
    'SANDBOX_MERGE_CONFLICT',
    `The project and the plan changed the same files:\n${listed(lines)}`,
    {
      hint: `Bring the project's side in with \`cleveragents plan refresh\`, resolve what it names in ${context.sandboxPath}, and apply again.`,
      data: { originalPath: context.originalPath, conflicts, overlaps },
    },
  );
}
