import { statIfThere } from './pinned-folder.ts';
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { processMark } from '@cleveragents/shared-adapter-fs';
import { listed, SandboxCreationError, type SandboxContext } from '@cleveragents/sandbox-domain';
import type { CreateOptions } from '@cleveragents/sandbox-ports';
import { hasCode, parseRelativePath, type PlanId, planKey } from '@cleveragents/shared-kernel';
import { BaseStore, type BaseWriter } from './base-store.ts';
import { settledStamp } from './entry.ts';
import { Exclusion } from './exclusion.ts';
import { findLostBase, layLostBase, type LostBase } from './lost-base.ts';
import { layRescuedWork } from './rescued-start.ts';
import { type ManifestEntry, type OpenConflict, writeManifest } from './manifest.ts';
import { Pace } from './pace.ts';
import { ProjectState, writePlace } from './project-state.ts';
import type { SessionParts } from './session.ts';
import { copyTree } from './tree-copy.ts';

export interface NewSandbox {
  readonly planId: PlanId;
  readonly sandboxId: string;
  readonly resourceId: string;
  readonly originalPath: string;
  /** Folder that the copy is made in. */
  readonly parentFolder: string;
  readonly exclude: readonly string[];
  readonly options: CreateOptions;
}

/** Copies the original. A call that throws leaves nothing behind. */
export async function createSandbox(parts: SessionParts, request: NewSandbox): Promise<SandboxContext> {
  const originalPath = realOriginal(request.originalPath);
  assertApart(originalPath, futurePath(request.parentFolder), futurePath(parts.stateFolder));
  mkdirSync(request.parentFolder, { recursive: true, mode: 0o700 });
  mkdirSync(parts.stateFolder, { recursive: true, mode: 0o700 });
  const parent = realpathSync(request.parentFolder);
  const state = new ProjectState(parts.stateFolder, originalPath);
  const pace = new Pace(request.options);
  const make = async (): Promise<SandboxContext> => {
    pace.begin('copying');
    const name = `ca-sandbox-${planKey(request.planId)}-${randomBytes(4).toString('hex')}`;
    return makeCopy(parts, state, { request, originalPath, sandboxPath: join(parent, name), pace });
  };
  await state.removeCreation(request.sandboxId);
  return whileNothingIsExchanged(state, parts.timeoutMs, request.sandboxId, make);
}

const TRIES = 2;

/** A copy that is taken while another plan is applied would be of a project half old and half new. */
async function whileNothingIsExchanged(
  state: ProjectState,
  timeoutMs: number,
  sandboxId: string,
  make: () => Promise<SandboxContext>,
): Promise<SandboxContext> {
  const owner = `creation of ${sandboxId}`;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (state.hasUnfinished()) await state.locked(owner, timeoutMs, async () => undefined);
    const before = state.exchangeMark();
    const context = await make();
    if (state.exchangeMark() === before) return context;
    await state.removeCreation(sandboxId);
  }
  return state.locked(owner, timeoutMs, make);
}

async function makeCopy(
  parts: SessionParts,
  state: ProjectState,
  making: Omit<Filling, 'folder'>,
): Promise<SandboxContext> {
  const { request, originalPath, sandboxPath } = making;
  const lost = lostBaseFor(state, request);
  try {
    const folder = state.sandboxFolder(request.sandboxId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const place = { sandboxPath, maker: processMark(), planId: request.planId };
    await writePlace(folder, { ...place, isMade: false });
    mkdirSync(sandboxPath, { mode: 0o700 });
    const base =
      lost === null
        ? await fill({ ...making, folder })
        : await layLostBase(lost, { ...making, folder }, making.pace);
    await writePlace(folder, { ...place, isMade: true });
    return contextOf(parts, request, { originalPath, sandboxPath, base });
  } catch (error) {
    await removeFailed(state, request.sandboxId, error);
    throw error;
  }
}

/** Null: the copy is one of the project. Rescued work is named by its folder, a base by its id. */
function lostBaseFor(state: ProjectState, { planId, options: { startFrom } }: NewSandbox): LostBase | null {
  if (startFrom === undefined || isAbsolute(startFrom.content)) return null;
  return findLostBase({ bases: state.lostBases, key: planKey(planId) }, startFrom.content);
}

/** The real path of a folder that need not be there yet. */
function futurePath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || dirname(absolute) === absolute) throw error;
    return join(futurePath(dirname(absolute)), basename(absolute));
  }
}

async function removeFailed(state: ProjectState, sandboxId: string, cause: unknown): Promise<void> {
  try {
    await state.removeCreation(sandboxId);
  } catch (failure) {
    throw new SandboxCreationError(
      'SANDBOX_CREATION_FAILED',
      `The sandbox could not be made, nor what was made of it removed: ${String(failure)}`,
      {
        hint: 'See to what the system complains about, then run `cleveragents plan cleanup`.',
        data: { undone: false },
        cause,
      },
    );
  }
}

interface Filling {
  readonly request: NewSandbox;
  readonly originalPath: string;
  readonly sandboxPath: string;
  readonly folder: string;
  readonly pace: Pace;
}

/** @returns the id of the base. */
async function fill(filling: Filling): Promise<string> {
  const { request, originalPath, sandboxPath, folder, pace } = filling;
  const { link = [], copy = [], exclude = [], startFrom } = request.options;
  const linked = link.map((path) => sourceIn(originalPath, path));
  for (const path of copy) sourceIn(originalPath, path);
  const patterns = [...request.exclude, ...exclude, ...copy.flatMap(takingBack)];
  const exclusion = new Exclusion(patterns, linked);
  const base = new BaseStore(folder);
  const writer = base.append();
  let entries: Map<string, ManifestEntry>;
  let conflicts: readonly OpenConflict[] = [];
  try {
    entries = await copied(filling, exclusion, writer);
    writer.finish({ durable: true });
  } finally {
    writer.close();
  }
  placeLinks(originalPath, sandboxPath, linked);
  if (startFrom !== undefined)
    conflicts = await layRescuedWork({ sandboxPath, entries, base, rescue: startFrom.content, pace });
  return writeManifest(folder, { exclusion, conflicts, entries: withSettledStamps(entries), base });
}

async function copied(
  { originalPath, sandboxPath, pace }: Filling,
  exclusion: Exclusion,
  base: BaseWriter,
): Promise<Map<string, ManifestEntry>> {
  const { entries, refused } = await copyTree(originalPath, sandboxPath, { exclusion, base, pace });
  if (refused.length === 0) return entries;
  throw new SandboxCreationError(
    'SANDBOX_UNSUPPORTED_FILES',
    `A copy cannot hold everything in ${originalPath}:\n${listed(refused.map(({ path, reason }) => `${path} ${reason}`))}`,
    {
      hint: 'Leave them out of the sandbox (`--exclude <pattern>`, as in a .gitignore), or move them away.',
      data: { originalPath, files: refused },
    },
  );
}

/** A folder is taken back with all that is in it. */
function takingBack(path: string): readonly string[] {
  return [`!/${path}`, `!/${path}/**`];
}

function withSettledStamps(entries: ReadonlyMap<string, ManifestEntry>): ReadonlyMap<string, ManifestEntry> {
  const now = Date.now();
  return new Map(
    [...entries].map(([path, each]) => [
      path,
      { ...each, copy: each.copy === null ? null : settledStamp(each.copy, now) },
    ]),
  );
}

/** A path of the original that a caller named. @throws SandboxCreationError `SANDBOX_SOURCE_MISSING`. */
function sourceIn(originalPath: string, raw: string): string {
  const path = parseRelativePath(raw);
  if (statIfThere(join(originalPath, path)) !== null) return path;
  throw new SandboxCreationError('SANDBOX_SOURCE_MISSING', `There is no ${path} in ${originalPath}`, {
    hint: 'Name a path of the project, relative to its root.',
    data: { path, originalPath },
  });
}

function placeLinks(originalPath: string, sandboxPath: string, linked: readonly string[]): void {
  for (const path of linked) {
    mkdirSync(dirname(join(sandboxPath, path)), { recursive: true });
    symlinkSync(join(originalPath, path), join(sandboxPath, path));
  }
}

function realOriginal(path: string): string {
  let real: string;
  try {
    real = realpathSync(path);
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw cause;
    throw noFolder(path, cause);
  }
  if (!lstatSync(real).isDirectory()) throw noFolder(path);
  return real;
}

function noFolder(path: string, cause?: unknown): SandboxCreationError {
  return new SandboxCreationError('SANDBOX_SOURCE_MISSING', `There is no folder at ${path}`, {
    hint: 'Give the folder of the project.',
    data: { originalPath: path },
    cause,
  });
}

/** A copy into itself would never end; a copy of what we keep would copy sandboxes. */
function assertApart(originalPath: string, parent: string, stateFolder: string): void {
  for (const [folder, what] of [
    [parent, 'The folder for sandboxes'],
    [stateFolder, 'The folder for what is kept of sandboxes'],
  ] as const)
    if (isInside(folder, originalPath)) throw notApart(`${what} lies inside the project: ${folder}`);
  const isSandbox = originalPath.split(sep).some((name) => name.startsWith('ca-sandbox-'));
  const isSystems = parent === realpathSync(tmpdir());
  if ((!isSystems && isInside(originalPath, parent)) || (isSandbox && isInside(originalPath, parent)))
    throw notApart(`The project lies inside the folder for sandboxes: ${parent}`);
}

function notApart(message: string): SandboxCreationError {
  return new SandboxCreationError('SANDBOX_CREATION_FAILED', message, {
    hint: 'Choose another folder for sandboxes: set XDG_STATE_HOME or TMPDIR, or work on a folder below.',
  });
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function contextOf(
  { clock, stateFolder }: SessionParts,
  { planId, sandboxId, resourceId }: NewSandbox,
  place: { readonly originalPath: string; readonly sandboxPath: string; readonly base: string },
): SandboxContext {
  return {
    sandboxId,
    planId,
    resourceId,
    originalPath: place.originalPath,
    sandboxPath: place.sandboxPath,
    createdAt: clock.now().toISOString(),
    metadata: { strategy: 'file_copy', base: place.base, stateFolder },
  };
}
