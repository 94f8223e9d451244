import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isExpiredRescue, RESCUE_PREFIX, rescueRefName, rescueTime } from '@cleveragents/sandbox-domain';
import type { RescuedWork } from '@cleveragents/sandbox-ports';
import type { PlanKey } from '@cleveragents/shared-kernel';
import { HALF_WRITTEN, listChangeFolders, readChangeFolder, writeChangeFolder } from './change-folder.ts';
import type { Change } from './entry.ts';
import { removeWhole } from './removal.ts';
import type { CopySession } from './session.ts';
import { nameOfChanges, type ReadSide } from './tree-difference.ts';

/**
 * Keeps changes that are nowhere else; the folder that an earlier call made, which was cut short, is taken up.
 * @returns where; null when there is nothing to keep.
 */
export async function keepWork(
  { state, key, clock, context }: CopySession,
  changes: readonly Change[],
  read: ReadSide,
  reason: string,
): Promise<string | null> {
  if (changes.length === 0) return null;
  const folder = state.rescueFolder(key);
  const id = nameOfChanges(changes);
  await sweepHalfWritten(folder);
  const since = Date.parse(context.createdAt);
  for (const name of listChangeFolders(folder).toReversed()) {
    const isOfThisSandbox = (timeOf(key, name)?.getTime() ?? -1) >= since;
    if (isOfThisSandbox && readChangeFolder(join(folder, name))?.id === id) return join(folder, name);
  }
  const wanted = basename(rescueRefName(key, clock.now()));
  for (let attempt = 0; ; attempt++) {
    const path = join(folder, attempt === 0 ? wanted : `${wanted}-${attempt}`);
    if (existsSync(path)) continue;
    await writeChangeFolder(path, { planId: context.planId, changes, read, notes: { reason } });
    return path;
  }
}

/** What dead processes left: nobody else writes here, under the lock of the project. */
async function sweepHalfWritten(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.endsWith(HALF_WRITTEN)) await removeWhole(join(folder, name));
}

/** The newest work that was rescued from this very sandbox. */
export function keptSoFar({ state, key, context }: CopySession): string | null {
  const folder = state.rescueFolder(key);
  const since = Date.parse(context.createdAt);
  const name = listChangeFolders(folder).findLast((each) => (timeOf(key, each)?.getTime() ?? -1) >= since);
  return name === undefined ? null : join(folder, name);
}

export function listRescues(folder: string, key: PlanKey): readonly RescuedWork[] {
  return listChangeFolders(folder)
    .flatMap((name) => {
      const at = timeOf(key, name);
      const path = join(folder, name);
      const id = readChangeFolder(path)?.id;
      return at === null || id === undefined
        ? []
        : [{ ref: path, commit: id, base: id, at: at.toISOString() }];
    })
    .sort((one, other) => (one.at < other.at ? 1 : -1));
}

/** Folders of rescued work that were kept for as long as promised. */
export function expiredRescues(folder: string, now: Date): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((key) =>
    readdirSync(join(folder, key))
      .filter((name) => isExpiredRescue(refOf(key, name), now))
      .map((name) => join(folder, key, name)),
  );
}

function timeOf(key: string, name: string): Date | null {
  return rescueTime(refOf(key, name));
}

function refOf(key: string, name: string): string {
  return `${RESCUE_PREFIX}/${key}/${name}`;
}
