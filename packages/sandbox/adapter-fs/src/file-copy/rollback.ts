import { join } from 'node:path';
import { type CommitResult, SandboxRollbackError } from '@cleveragents/sandbox-domain';
import type { RollbackOptions, RollbackResult } from '@cleveragents/sandbox-ports';
import { assertNotApplied, readApplied, UNDONE, wasUndone } from './applied.ts';
import { readChangeFolder } from './change-folder.ts';
import { type Change, leafOf } from './entry.ts';
import { exchange } from './exchange.ts';
import { PathTaken } from './exchange-steps.ts';
import { examineTarget } from './original-facts.ts';
import { hasManifest } from './manifest.ts';
import { keepWork, keptSoFar } from './rescue.ts';
import { type Contents, type CopySession, isPresent, readContents } from './session.ts';
import { undoApplied } from './undo.ts';

/** Returns the sandbox to its base, byte for byte. What it held is rescued first. */
export async function discardChanges(session: CopySession): Promise<string | null> {
  assertNotApplied(session);
  return discardContents(session);
}

async function discardContents(session: CopySession): Promise<string | null> {
  const contents = await readContents(session);
  const { changes, read } = contents;
  const rescuedTo = await keepWork(session, changes, read, 'changes discarded by a rollback');
  await restoreBase(session, contents);
  // an earlier rollback that was cut short may have rescued it, and have put the sandbox back
  return rescuedTo ?? keptSoFar(session);
}

async function restoreBase({ context, state, pace }: CopySession, contents: Contents): Promise<void> {
  const { changes, manifest } = contents;
  if (changes.length === 0) return;
  pace.begin('restoring', changes.length);
  const back = changes.map(({ path, before, after }) => ({ path, before: after, after: before }));
  const { facts, overlaps } = examineTarget(context.sandboxPath, back);
  const [first] = overlaps;
  if (first !== undefined) throw stillWritten(context.sandboxPath, first.path);
  try {
    await exchange({
      journal: state.journal,
      root: context.sandboxPath,
      facts,
      sourceOf: (path) => {
        const entry = leafOf(manifest.entries.get(path)?.entry ?? null);
        return { bytes: entry?.kind === 'file' ? manifest.base.read(entry.sha256) : new Uint8Array() };
      },
      folderModes: () => 0o755,
      renames: [],
      discards: [],
      durable: false,
      pace,
      lastLook: async () => pace.assertGoing(),
    });
  } catch (error) {
    if (error instanceof PathTaken) throw stillWritten(context.sandboxPath, error.path);
    throw error;
  }
}

function stillWritten(sandboxPath: string, path: string): SandboxRollbackError {
  return new SandboxRollbackError(
    'SANDBOX_ROLLBACK_FAILED',
    `Somebody still writes into the sandbox: ${path}`,
    {
      hint: 'Stop the process that still writes into the sandbox, then try again.',
      data: { path, sandboxPath },
    },
  );
}

/** Takes a commit back out of the project, then returns the sandbox, where it is still there, to its base. */
export async function undoCommit(
  session: CopySession,
  result: CommitResult,
  options: RollbackOptions,
): Promise<RollbackResult> {
  const applied = readApplied(session);
  if (applied === null && result.files.length > 0 && !wasUndone(session)) throw notKept(session);
  if (applied !== null) await undoApplied(session, applied, options);
  const undone = readChangeFolder(join(session.folder, UNDONE));
  const changes: readonly Change[] = undone?.changes ?? [];
  const kept =
    undone === null ? null : await keepWork(session, changes, undone.read, 'an apply that was undone');
  const isThere = isPresent(session.context.sandboxPath) && hasManifest(session.folder);
  const rescuedTo = isThere ? await discardContents(session) : null;
  return { rescuedTo: rescuedTo ?? kept, targetRef: undone?.id ?? null };
}

function notKept({ folder, context }: CopySession): SandboxRollbackError {
  return new SandboxRollbackError(
    'SANDBOX_ROLLBACK_FAILED',
    `What plan ${JSON.stringify(context.planId)} replaced is not kept any more`,
    {
      hint: 'It is kept for 30 days after the sandbox was removed. Undo the changes by hand: `cleveragents plan show` lists them.',
      data: { folder, reason: 'not-kept' },
    },
  );
}
