import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  breakStaleLock,
  inspectLock,
  isProcessAlive,
  parseProcessMark,
  processState,
} from '@cleveragents/shared-adapter-fs';
import {
  type LockTrace,
  type OperationTrace,
  RESCUE_PREFIX,
  type RescueTrace,
  rescueTime,
  type SandboxContext,
  type SandboxFacts,
  type SandboxRepairStep,
  type SandboxState,
  type SandboxTrace,
} from '@cleveragents/sandbox-domain';
import { hasCode } from '@cleveragents/shared-kernel';
import { HALF_WRITTEN } from './change-folder.ts';
import { hasManifest, readManifest } from './manifest.ts';
import { type ProjectState, readPlace, type SandboxPlace } from './project-state.ts';
import { isPresent } from './session.ts';

/** See `SandboxFactory.inspect`. */
export async function inspectCopies(
  state: ProjectState,
  originalPath: string,
  known: readonly SandboxContext[],
): Promise<SandboxFacts> {
  const copies = known.filter(({ metadata }) => metadata.strategy === 'file_copy');
  const kept = namesIn(join(state.folder, 'sandboxes')).flatMap((sandboxId) =>
    keptTrace(state, { sandboxId, originalPath: realpathSync(originalPath), known: copies }),
  );
  return {
    strategy: 'file_copy',
    traces: [...kept, ...lostTraces(state, copies)],
    branches: [],
    memories: [],
    rescues: rescuesIn(join(state.folder, 'rescued')),
    ...(await readOperations(state)),
    locks: ownLock(state),
    fingerprint: null,
  };
}

/** See `SandboxFactory.repair`. Copies have no refs, settings or pointers that could be set right. */
export async function repairCopies(
  state: ProjectState,
  {
    step,
    now,
    lockTimeoutMs,
  }: {
    readonly step: SandboxRepairStep;
    readonly now: Date;
    readonly lockTimeoutMs: number;
  },
): Promise<string> {
  if (step.step === 'recover') {
    const said = await state.recover(now, lockTimeoutMs);
    return said.length === 0 ? 'Done.' : said.join(' ');
  }
  const isFreed =
    step.step === 'free-lock' && step.path === state.lockPath && breakStaleLock(step.path) !== null;
  return isFreed ? 'The lock is free.' : 'Nothing had to be done any more.';
}

interface Kept {
  readonly sandboxId: string;
  readonly originalPath: string;
  readonly known: readonly SandboxContext[];
}

/** What only an undo would need is no sandbox; one that is being made is none of the doctor's business. */
function keptTrace(state: ProjectState, kept: Kept): readonly SandboxTrace[] {
  const folder = state.sandboxFolder(kept.sandboxId);
  const place = readPlace(folder);
  const context = kept.known.find(({ sandboxId }) => sandboxId === kept.sandboxId) ?? null;
  const path = place?.sandboxPath ?? context?.sandboxPath;
  if (path === undefined) return [];
  const planId = context?.planId ?? place?.planId ?? null;
  const common = { sandboxId: kept.sandboxId, planId, path, locked: null };
  if (!hasManifest(folder))
    return place === null || place.isMade || isBeingMade(place)
      ? []
      : [{ ...common, condition: 'unfinished', state: null }];
  const pieced = planId === null ? null : piecedState(state, kept, { planId, path });
  const isReadable = context !== null || planId === null || pieced !== null;
  const condition = isPresent(path) ? (isReadable ? 'whole' : 'unproven') : 'missing';
  return [{ ...common, condition, state: pieced }];
}

function isBeingMade({ maker }: SandboxPlace): boolean {
  const mark = parseProcessMark(maker);
  return mark !== null && isProcessAlive(mark);
}

/** Null when what was copied cannot be read: then nobody can tell what the plan changed. */
function piecedState(
  state: ProjectState,
  { sandboxId, originalPath }: Kept,
  { planId, path }: { readonly planId: string; readonly path: string },
): SandboxState | null {
  const folder = state.sandboxFolder(sandboxId);
  let base: string;
  try {
    base = readManifest(folder).id;
  } catch (error) {
    if (hasCode(error, 'SANDBOX_BROKEN')) return null;
    throw error;
  }
  return {
    status: 'active',
    sandboxId,
    context: {
      sandboxId,
      planId,
      resourceId: basename(originalPath) || 'root',
      originalPath,
      sandboxPath: path,
      createdAt: lstatSync(folder).birthtime.toISOString(),
      metadata: { strategy: 'file_copy', base, stateFolder: join(state.folder, '..') },
    },
  };
}

/** Sandboxes that plans count on, and of which nothing is kept any more. */
function lostTraces(state: ProjectState, known: readonly SandboxContext[]): readonly SandboxTrace[] {
  return known
    .filter(({ sandboxId }) => !existsSync(state.sandboxFolder(sandboxId)))
    .map(({ sandboxId, planId, sandboxPath: path }) => ({
      sandboxId,
      planId,
      path,
      condition: isPresent(path) ? 'unproven' : 'missing',
      locked: null,
      state: null,
    }));
}

function rescuesIn(folder: string): readonly RescueTrace[] {
  return namesIn(folder).flatMap((key) =>
    namesIn(join(folder, key))
      .filter((name) => !name.endsWith(HALF_WRITTEN))
      .map((name) => ({
        ref: join(folder, key, name),
        key,
        at: rescueTime(`${RESCUE_PREFIX}/${key}/${name}`)?.toISOString() ?? null,
      })),
  );
}

async function readOperations(state: ProjectState): Promise<Pick<SandboxFacts, 'operations' | 'damage'>> {
  try {
    const operations = (await state.journal.pending()).map(
      ({ kind, payload, startedAt, owner }): OperationTrace => ({
        operation: kind,
        subject: String((payload as { readonly root?: unknown }).root),
        startedAt: startedAt.toISOString(),
        process: processState(owner),
      }),
    );
    return { operations, damage: null };
  } catch (error) {
    if (!hasCode(error, 'JOURNAL_DAMAGED')) throw error;
    return { operations: [], damage: error.message };
  }
}

function ownLock({ lockPath: path }: ProjectState): readonly LockTrace[] {
  const held = inspectLock(path);
  if (held === null) return [];
  const since = (held.since ?? new Date(0)).toISOString();
  return [{ path, holder: held.state, pid: held.process?.pid ?? null, since, kind: 'own-folder' }];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}
