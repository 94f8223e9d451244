import { join } from 'node:path';
import { type CommitResult, SandboxRollbackError } from '@cleveragents/sandbox-domain';
import type { RollbackOptions, RollbackResult } from '@cleveragents/sandbox-ports';
import { assertNotApplied, readApplied, UNDONE } from './applied.ts';
import { readChangeFolder } from './change-folder.ts';
import { leafOf } from './entry.ts';
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
  const contents = await readContents(session);
  const rescuedTo = await rescueContents(session, contents);
  await restoreBase(session, contents);
  // an earlier rollback that was cut short may have rescued it, and have put the sandbox back
  return rescuedTo ?? keptSoFar(session);
}

function rescueContents(session: CopySession, { changes, read }: Contents): Promise<string | null> {
  return keepWork(session, changes, read, 'changes discarded by a rollback');
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

/** Takes a commit back out of the project. All that it held is rescued first. */
export async function undoCommit(
  session: CopySession,
  result: CommitResult,
  options: RollbackOptions,
): Promise<RollbackResult> {
  const applied = readApplied(session);
  const undone = readChangeFolder(join(session.folder, UNDONE));
  const folder = applied?.folder ?? undone;
  if (folder === null && result.files.length > 0) throw notKept(session);
  const isThere = isPresent(session.context.sandboxPath) && hasManifest(session.folder);
  const contents = isThere ? await readContents(session) : null;
  const kept =
    folder === null ? null : await keepWork(session, folder.changes, folder.read, 'an apply that was undone');
  const rescuedTo = contents === null ? null : await rescueContents(session, contents);
  if (applied !== null) await undoApplied(session, applied, options);
  if (contents !== null) await returnIfPossible(session, contents);
  return { rescuedTo: rescuedTo ?? kept, targetRef: folder?.id ?? null };
}

/** The project is what the undo was about; the sandbox is of no use to anybody any more, and what it held is kept. */
async function returnIfPossible(session: CopySession, contents: Contents): Promise<void> {
  try {
    await restoreBase(session, contents);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^(SANDBOX_|E[A-Z0-9]+$)/.test(code);
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
