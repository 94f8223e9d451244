import { join } from 'node:path';
import { SandboxCommitError, SandboxError } from '@cleveragents/sandbox-domain';
import type { RefreshResult } from '@cleveragents/sandbox-ports';
import { assertNotApplied } from './applied.ts';
import { sameEntry, settledStamp } from './entry.ts';
import { exchange } from './exchange.ts';
import { PathTaken } from './exchange-steps.ts';
import { FileMoving, readWhole } from './file-bytes.ts';
import { examineTarget } from './original-facts.ts';
import { MANIFEST, type Manifest, type ManifestEntry, NEXT_MANIFEST, writeManifest } from './manifest.ts';
import { nameOf, PinnedFolder } from './pinned-folder.ts';
import { planRefresh, type RefreshPlan, SideMoving } from './refresh-plan.ts';
import { assertResolved, type Contents, type CopySession, readContents } from './session.ts';
import { scanTree, type TreeScan } from './tree-scan.ts';

/** Merges what the project's files gained since creation into the sandbox, whose base they are from then on. */
export async function refreshSandbox(session: CopySession): Promise<RefreshResult> {
  assertNotApplied(session);
  const contents = await readContents(session);
  assertResolved(session, contents);
  const { manifest } = contents;
  const original = await scanOriginal(session, manifest);
  try {
    const { originalPath, sandboxPath } = session.context;
    const plan = planRefresh({ manifest, sandbox: contents.scan, original, sandboxPath, originalPath });
    const entries = nextEntries(contents, original);
    if (entries === null && plan.changes.length === 0)
      return { kind: 'up-to-date', conflicts: [], base: manifest.id };
    const base = await bringIn(session, contents, plan, entries ?? new Map(manifest.entries));
    return { kind: plan.conflicts.length > 0 ? 'conflicts' : 'merged', conflicts: plan.conflicts, base };
  } catch (error) {
    if (error instanceof PathTaken || error instanceof SideMoving || error instanceof FileMoving)
      throw new SandboxCommitError(
        'SANDBOX_WORKTREE_MOVING',
        `A file was written while the sandbox was refreshed: ${error.message}`,
        { hint: 'Stop what writes there, then try again.', data: {} },
      );
    throw error;
  }
}

async function scanOriginal(
  { context, pace }: CopySession,
  { entries, exclusion }: Manifest,
): Promise<TreeScan> {
  pace.begin('reading the project', entries.size);
  const known = (
    path: string,
  ): { entry: ManifestEntry['entry']; stamp: ManifestEntry['original'] } | null => {
    const entry = entries.get(path);
    return entry === undefined ? null : { entry: entry.entry, stamp: entry.original };
  };
  const scan = await scanTree(context.originalPath, { exclusion, known, pace });
  const [first] = scan.moving;
  if (first !== undefined) throw new SideMoving(first);
  return scan;
}

/** The base that the sandbox has from now on; null when it is the one that it has. */
function nextEntries({ manifest }: Contents, original: TreeScan): Map<string, ManifestEntry> | null {
  const entries = new Map<string, ManifestEntry>();
  const now = Date.now();
  let isNew = false;
  for (const [path, { entry, stamp }] of original.entries) {
    const before = manifest.entries.get(path);
    const isSame = before !== undefined && sameEntry(before.entry, entry);
    if (!isSame) isNew = true;
    const settled = stamp === null ? null : settledStamp(stamp, now);
    // the copy's stamp stands for the bytes that the sandbox had before
    entries.set(path, { path, entry, original: settled, copy: isSame ? before.copy : null });
  }
  for (const [path, entry] of manifest.entries) {
    if (entries.has(path)) continue;
    if (original.omitted.has(path)) entries.set(path, entry);
    else isNew = true;
  }
  return isNew ? entries : null;
}

async function bringIn(
  session: CopySession,
  { manifest }: Contents,
  plan: RefreshPlan,
  entries: ReadonlyMap<string, ManifestEntry>,
): Promise<string> {
  const { context, folder, state, pace } = session;
  pace.begin('refreshing', plan.changes.length);
  keepNewBase(context.originalPath, manifest, entries);
  const { exclusion, base } = manifest;
  const next = { exclusion, base, entries, conflicts: plan.open };
  const { facts, overlaps } = examineTarget(context.sandboxPath, plan.changes);
  const [first] = overlaps;
  if (first !== undefined) throw inTheWay(context.sandboxPath, first.path);
  let id = manifest.id;
  await exchange({
    journal: state.journal,
    root: context.sandboxPath,
    facts,
    sourceOf: plan.sourceOf,
    folderModes: (path) => {
      const entry = entries.get(path)?.entry;
      return entry?.kind === 'directory' ? entry.mode : 0o755;
    },
    renames: [{ from: join(folder, NEXT_MANIFEST), to: join(folder, MANIFEST) }],
    discards: [join(folder, NEXT_MANIFEST)],
    durable: false,
    pace,
    lastLook: async () => {
      id = await writeManifest(folder, next, { name: NEXT_MANIFEST });
    },
  });
  return id;
}

/** The base store gains the project's new bytes, which must be those that were seen. */
function keepNewBase(root: string, { base }: Manifest, entries: ReadonlyMap<string, ManifestEntry>): void {
  const writer = base.append();
  try {
    for (const { path, entry } of entries.values()) {
      if (entry.kind !== 'file' || base.placeOf(entry.sha256) !== null) continue;
      const parent = PinnedFolder.openParent(root, path);
      try {
        const read = readWhole(
          parent,
          nameOf(path),
          (piece) => writer.take(piece),
          () => writer.begin(),
        );
        if (read.entry.sha256 !== entry.sha256) throw new SideMoving(path);
        writer.keep(entry.sha256);
      } finally {
        parent.close();
      }
    }
    writer.finish({ durable: true });
  } finally {
    writer.close();
  }
}

function inTheWay(sandboxPath: string, path: string): SandboxError {
  return new SandboxCommitError(
    'SANDBOX_WORKTREE_MOVING',
    `Something in the sandbox is in the way of the project's changes: ${path}`,
    { hint: `Look at it in ${sandboxPath}, move it away, then try again.`, data: { path, sandboxPath } },
  );
}
