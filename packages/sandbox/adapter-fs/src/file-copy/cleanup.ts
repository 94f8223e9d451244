import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree, sweepTemporaryFiles, writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import {
  assertNothingUnkept,
  listed,
  looksLikeMassDeletion,
  SandboxError,
  type SandboxStatus,
} from '@cleveragents/sandbox-domain';
import type { CleanupResult } from '@cleveragents/sandbox-ports';
import { APPLIED, assertNotApplied, readApplied, UNDONE } from './applied.ts';
import { keepLostBase } from './lost-base.ts';
import { hasManifest, MANIFEST } from './manifest.ts';
import { statIfThere } from './pinned-folder.ts';
import { PLACE } from './project-state.ts';
import { removeWhole } from './removal.ts';
import { keepWork, keptSoFar } from './rescue.ts';
import { type Contents, type CopySession, isPresent, readContents } from './session.ts';
import { nameOfChanges } from './tree-difference.ts';
import { unkeptFiles } from './tree-scan.ts';

/** Says that what was worth keeping is kept, and what is left of the sandbox may go. */
const REMOVING = 'removing.json';

/** Removes the sandbox. Work that is nowhere else is rescued first; what an undo of an apply needs is kept. */
export async function removeSandbox(session: CopySession, status: SandboxStatus): Promise<CleanupResult> {
  const { context, folder } = session;
  await sweepTemporaryFiles(folder);
  if (status === 'created' || status === 'active') assertNotApplied(session);
  if (isLost(session, status)) {
    const { state, key, clock } = session;
    await keepLostBase(folder, { bases: state.lostBases, key }, clock.now());
  }
  const wasThere = isPresent(context.sandboxPath);
  const rescuedTo = await rescued(session, status);
  session.pace.begin('removing');
  const { kept } = await removeTree(context.sandboxPath, { within: join(context.sandboxPath, '..') });
  if (kept.length > 0) throw leftOver(context.sandboxPath, kept);
  await forget(folder, status);
  return {
    worktreeRemoved: wasThere || status !== 'cleaned_up',
    branchDeleted: false,
    rescuedTo,
    leftOver: [],
  };
}

/** Somebody else took the folder, and with it work that a checkpoint may hold. */
function isLost({ context, folder }: CopySession, status: SandboxStatus): boolean {
  const isInUse = status === 'created' || status === 'active';
  const isBeingRemoved = existsSync(join(folder, REMOVING));
  return isInUse && !isBeingRemoved && hasManifest(folder) && statIfThere(context.sandboxPath) === null;
}

async function rescued(session: CopySession, status: SandboxStatus): Promise<string | null> {
  const { folder, context } = session;
  const note = join(folder, REMOVING);
  if (existsSync(note))
    return (JSON.parse(readFileSync(note, 'utf8')) as { rescuedTo: string | null }).rescuedTo;
  if (!existsSync(folder)) return keptSoFar(session);
  const isReadable = isPresent(context.sandboxPath) && hasManifest(folder);
  const rescuedTo = isReadable ? await rescueWork(session, status) : keptSoFar(session);
  await writeFileAtomically(note, JSON.stringify({ rescuedTo }), { mode: 0o600 });
  return rescuedTo;
}

async function rescueWork(session: CopySession, status: SandboxStatus): Promise<string | null> {
  const contents = await readContents(session);
  assertNothingUnkept(session.context.sandboxPath, unkeptFiles(contents.scan));
  const applied = status === 'committed' ? readApplied(session) : null;
  // nothing but what the project has
  if (applied !== null && nameOfChanges(contents.changes) === applied.result.commitRef) return null;
  const reason = status === 'committed' ? 'changes made after the apply' : 'changes never applied';
  const rescuedTo = await keepWork(session, worthKeeping(contents), contents.read, reason);
  return rescuedTo ?? (status === 'rolled_back' ? keptSoFar(session) : null);
}

/** Files that went by the dozen were swept away, not deleted: nobody needs the record of that. */
function worthKeeping({ changes, manifest }: Contents): Contents['changes'] {
  const deletedFiles = changes.filter(
    ({ before, after }) => before?.kind === 'file' && after === null,
  ).length;
  const filesBefore = [...manifest.entries.values()].filter(({ entry }) => entry.kind !== 'directory').length;
  return looksLikeMassDeletion({ deletedFiles, filesBefore })
    ? changes.filter(({ after }) => after !== null)
    : changes;
}

/** The manifest goes last but for what an undo needs: without it nothing is known of the sandbox. */
async function forget(folder: string, status: SandboxStatus): Promise<void> {
  if (!existsSync(folder)) return;
  const isUndoable = [APPLIED, UNDONE].some((name) => existsSync(join(folder, name)));
  if (status === 'committed' && isUndoable)
    for (const name of ['base.pack', 'clones', PLACE, MANIFEST, REMOVING])
      await removeWhole(join(folder, name));
  else await removeWhole(folder);
}

function leftOver(
  path: string,
  kept: readonly { readonly path: string; readonly code: string }[],
): SandboxError {
  const list = listed(kept.map((each) => `${each.path}: ${each.code}`));
  return new SandboxError('SANDBOX_CLEANUP_FAILED', `Parts of ${path} could not be removed:\n${list}`, {
    hint: 'Free what holds them (a running process, permissions), then run the cleanup again.',
    data: { path, leftOver: kept.map((each) => ({ path: each.path, reason: each.code })) },
  });
}
