import { sweepTemporaryFiles } from '@cleveragents/shared-adapter-fs';
import { closeSync, readFileSync } from 'node:fs';
import {
  type FileReport,
  SandboxCommitError,
  SandboxError,
  type SandboxContext,
} from '@cleveragents/sandbox-domain';
import type { CallOptions } from '@cleveragents/sandbox-ports';
import { type Clock, parsePlanId, type PlanKey, planKey } from '@cleveragents/shared-kernel';
import { type Change, leafOf } from './entry.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { Pace } from './pace.ts';
import { nameOf, PinnedFolder, statIfThere } from './pinned-folder.ts';
import { linkTarget } from './file-bytes.ts';
import { ProjectState } from './project-state.ts';
import { differencesBetween, type ReadSide, reportsOf } from './tree-difference.ts';
import { scanTree, type TreeScan } from './tree-scan.ts';

export interface SessionParts {
  readonly stateFolder: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Everything that one call on a sandbox works with. */
export interface CopySession {
  readonly context: SandboxContext;
  readonly state: ProjectState;
  /** What is kept of the sandbox, outside of it. */
  readonly folder: string;
  readonly key: PlanKey;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly pace: Pace;
}

export function sessionOf(
  { stateFolder, clock, timeoutMs }: SessionParts,
  context: SandboxContext,
  options: CallOptions = {},
): CopySession {
  const kept = context.metadata['stateFolder'];
  const state = new ProjectState(typeof kept === 'string' ? kept : stateFolder, context.originalPath);
  const folder = state.sandboxFolder(context.sandboxId);
  const pace = new Pace(options);
  pace.assertGoing();
  const key = planKey(parsePlanId(context.planId));
  return { context, state, folder, key, clock, timeoutMs, pace };
}

/** Runs a call that changes something, one at a time per project. */
export function exclusively<T>(session: CopySession, work: () => Promise<T>): Promise<T> {
  const { state, context, timeoutMs } = session;
  assertOriginal(session);
  return state.locked(`plan ${context.planId}`, timeoutMs, async () => {
    await sweepTemporaryFiles(session.folder);
    return work();
  });
}

/** Before a call that only reads: what a dead process left half-done would be read as somebody's work. */
export async function settled({ state, context, timeoutMs }: CopySession): Promise<void> {
  if (state.hasUnfinished()) await state.locked(`plan ${context.planId}`, timeoutMs, async () => undefined);
}

/** The sandbox as it stands, and what it began with. */
export interface Contents {
  readonly manifest: Manifest;
  readonly scan: TreeScan;
  readonly changes: readonly Change[];
  readonly read: ReadSide;
}

/** @throws SandboxError `SANDBOX_BROKEN` when the sandbox or what is known of it is gone. */
export async function readContents(session: CopySession, manifest?: Manifest): Promise<Contents> {
  const { context, pace } = session;
  assertPresent(context);
  const base = manifest ?? readManifest(session.folder);
  pace.begin('reading the sandbox', base.entries.size);
  const scan = await scanTree(context.sandboxPath, {
    exclusion: base.exclusion,
    known: (path) => {
      const entry = base.entries.get(path);
      return entry === undefined ? null : { entry: entry.entry, stamp: entry.copy };
    },
    pace,
  });
  const omitted = scan.omitted;
  // what cannot be read is not gone
  const changes = differencesBetween(base.entries, scan.entries).filter(
    ({ path, after }) => after !== null || !isOmitted(path, omitted),
  );
  return { manifest: base, scan, changes, read: sandboxReader(context.sandboxPath, base) };
}

function isOmitted(path: string, omitted: ReadonlyMap<string, string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (omitted.has(path.slice(0, end))) return true;
  return false;
}

export function reportFiles({ changes, read }: Contents): Promise<readonly FileReport[]> {
  return reportsOf(changes, read);
}

/** Before: from the base store. After: from the sandbox as it is at that moment. */
export function sandboxReader(root: string, { base }: Manifest): ReadSide {
  return (change, side) => {
    const entry = leafOf(change[side]);
    if (entry === null) return new Uint8Array();
    if (entry.kind === 'link') return Buffer.from(entry.target);
    return side === 'before' ? base.read(entry.sha256) : readBelow(root, change.path);
  };
}

/** The bytes of a file below a folder, of a link its target. @throws the system's error. */
export function readBelow(root: string, path: string): Uint8Array {
  const parent = PinnedFolder.openParent(root, path);
  try {
    const name = nameOf(path);
    if (parent.stat(name)?.isSymbolicLink() === true) return Buffer.from(linkTarget(parent, name));
    return readDescriptor(parent.openFile(name));
  } finally {
    parent.close();
  }
}

/** @throws SandboxError `SANDBOX_BROKEN`. */
export function assertPresent({ sandboxPath }: SandboxContext): void {
  if (isPresent(sandboxPath)) return;
  throw new SandboxError('SANDBOX_BROKEN', `The folder of the sandbox is gone: ${sandboxPath}`, {
    hint: 'Remove what is known of it with `cleveragents plan cleanup`; work that was rescued comes back with `cleveragents plan restore`.',
    data: { sandboxPath },
  });
}

export function isPresent(path: string): boolean {
  return statIfThere(path)?.isDirectory() === true;
}

function assertOriginal({ context: { originalPath, sandboxPath } }: CopySession): void {
  if (isPresent(originalPath)) return;
  throw new SandboxError(
    'SANDBOX_SOURCE_MISSING',
    `The project of this plan is not at ${originalPath} any more`,
    {
      hint: `Move it back there to go on. The plan's files are in ${sandboxPath}.`,
      data: { originalPath, sandboxPath },
    },
  );
}

const MARKER = /^(<{7}|>{7}) /m;

/** @throws SandboxCommitError `SANDBOX_UNRESOLVED_CONFLICTS`. */
export function assertResolved({ context }: CopySession, { manifest, scan }: Contents): void {
  const paths = manifest.conflicts.filter(({ path, beside }) => {
    if (beside !== null) return scan.entries.has(beside);
    if (scan.entries.get(path)?.entry.kind !== 'file') return false;
    return MARKER.test(Buffer.from(readBelow(context.sandboxPath, path)).toString('latin1'));
  });
  if (paths.length === 0) return;
  const shown = paths.map(({ path, beside }) => (beside === null ? path : `${path} (see ${beside})`));
  throw new SandboxCommitError(
    'SANDBOX_UNRESOLVED_CONFLICTS',
    `Conflicts are left in the sandbox: ${shown.join(', ')}`,
    {
      hint: `${whatToResolve(paths, context.sandboxPath)} Then try again.`,
      data: { paths: paths.map(({ path }) => path) },
    },
  );
}

function readDescriptor(descriptor: number): Buffer {
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function whatToResolve(conflicts: Manifest['conflicts'], sandboxPath: string): string {
  const tasks = [
    conflicts.some(({ beside }) => beside === null)
      ? 'remove the lines that begin with <<<<<<<, ======= and >>>>>>>'
      : null,
    conflicts.some(({ beside }) => beside !== null) ? "delete the project's version beside" : null,
  ].filter((task) => task !== null);
  return `In ${sandboxPath}, make of both versions what you want, and ${tasks.join(', and ')}.`;
}
