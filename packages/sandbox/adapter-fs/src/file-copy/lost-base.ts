import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncDirectory } from '@cleveragents/shared-adapter-fs';
import {
  isExpiredRescue,
  RESCUE_PREFIX,
  rescueRefName,
  SandboxCreationError,
} from '@cleveragents/sandbox-domain';
import type { PlanKey } from '@cleveragents/shared-kernel';
import type { Entry } from './entry.ts';
import { hasManifest, type Manifest, readManifest, writeManifest } from './manifest.ts';
import type { Pace } from './pace.ts';
import { removeWhole } from './removal.ts';

/** What a sandbox began with whose folder is gone. */
export interface LostBase {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Where the base of a plan's lost sandbox is kept: `bases` holds those of all plans of a project. */
interface LostBasePlace {
  readonly bases: string;
  readonly key: PlanKey;
}

/**
 * Puts the base of a sandbox aside whose folder somebody took: a checkpoint alone does not tell what of it the plan changed.
 * Of each plan the newest is kept, for as long as rescued work is. Under the lock of the project.
 */
export async function keepLostBase(folder: string, { bases, key }: LostBasePlace, now: Date): Promise<void> {
  const kept = join(bases, key);
  await removeWhole(kept);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  renameSync(folder, join(kept, basename(rescueRefName(key, now))));
  await syncDirectory(kept);
}

/** @throws SandboxCreationError `SANDBOX_SOURCE_MISSING` when it is not kept, or not any more. */
export function findLostBase({ bases, key }: LostBasePlace, id: string): LostBase {
  for (const name of namesIn(join(bases, key))) {
    const folder = join(bases, key, name);
    const manifest = hasManifest(folder) ? readManifest(folder) : null;
    if (manifest?.id === id) return { folder, manifest };
  }
  throw new SandboxCreationError(
    'SANDBOX_SOURCE_MISSING',
    'What the sandbox of this plan began with is not kept, or not any more',
    {
      hint: 'Make a sandbox of the folder as it is with `cleveragents plan create`; `cleveragents checkpoint rollback` then brings the files back.',
      data: { base: id },
    },
  );
}

export function expiredLostBases(bases: string, now: Date): readonly string[] {
  return namesIn(bases).flatMap((key) =>
    namesIn(join(bases, key))
      .filter((name) => isExpiredRescue(`${RESCUE_PREFIX}/${key}/${name}`, now))
      .map((name) => join(bases, key, name)),
  );
}

/** Makes the files anew below the empty folder `sandboxPath`. @returns the id of the base that `folder` holds then. */
export async function layLostBase(
  { manifest }: LostBase,
  to: { readonly sandboxPath: string; readonly folder: string; readonly originalPath: string },
  pace: Pace,
): Promise<string> {
  const { exclusion, conflicts, base } = manifest;
  await base.copyTo(to.folder);
  const entries = [...manifest.entries.values()];
  for (const { path, entry } of entries) {
    const rest = pace.step();
    if (rest !== null) await rest;
    make(join(to.sandboxPath, path), entry, (sha256) => base.read(sha256));
  }
  for (const path of exclusion.linked) {
    mkdirSync(dirname(join(to.sandboxPath, path)), { recursive: true });
    symlinkSync(join(to.originalPath, path), join(to.sandboxPath, path));
  }
  for (const { path, entry } of entries.toReversed())
    if (entry.kind === 'directory') chmodSync(join(to.sandboxPath, path), entry.mode);
  const unread = new Map(entries.map((each) => [each.path, { ...each, copy: null }]));
  return writeManifest(to.folder, { exclusion, conflicts, entries: unread, base });
}

/** Rows of a manifest are in the order of their paths: a folder comes before what it holds. */
function make(path: string, entry: Entry, read: (sha256: string) => Uint8Array): void {
  if (entry.kind === 'directory') mkdirSync(path, { mode: 0o700 });
  else if (entry.kind === 'link') symlinkSync(entry.target, path);
  else {
    writeFileSync(path, read(entry.sha256), { mode: 0o600, flag: 'wx' });
    chmodSync(path, entry.mode);
  }
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
