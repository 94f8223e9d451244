import { join } from 'node:path';
import { type CommitResult, commitResultSchema, SandboxStateError } from '@cleveragents/sandbox-domain';
import { type ChangeFolder, readChangeFolder } from './change-folder.ts';
import type { CopySession } from './session.ts';

/** What an apply wrote into the project, with what was there before; in force with the apply itself. */
export const APPLIED = 'applied';
/** The same until the apply is done. */
export const APPLYING = 'applying';
/** The same once it was undone. */
export const UNDONE = 'undone';

export interface Applied {
  readonly folder: ChangeFolder;
  /** Of all changes of the plan, also of those that the project had already. */
  readonly result: CommitResult;
}

/** Null when nothing was applied, or it was undone. */
export function readApplied({ folder }: CopySession): Applied | null {
  const applied = readChangeFolder(join(folder, APPLIED));
  if (applied === null) return null;
  return { folder: applied, result: commitResultSchema.parse(applied.notes['result']) };
}

/**
 * Refuses what would make an apply impossible to take back whose process died before it could say that it was done.
 * @throws SandboxStateError
 */
export function assertNotApplied(session: CopySession): void {
  if (readApplied(session) === null) return;
  const { planId } = session.context;
  throw new SandboxStateError(
    `The plan ${JSON.stringify(planId)} is in the project already; its apply was cut short before that was written down`,
    {
      hint: 'Apply it again: that changes nothing and writes it down. Then roll it back or clean it up.',
      data: { planId },
    },
  );
}
