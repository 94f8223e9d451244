import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import { SandboxError } from '@cleveragents/sandbox-domain';
import { hasCode, sha256Hex } from '@cleveragents/shared-kernel';
import { BaseStore, type Place } from './base-store.ts';
import { byPath, type Entry, type Stamp } from './entry.ts';
import { Exclusion } from './exclusion.ts';

/** What a path held when the copy was made, and by what each side is known not to have been written since. */
export interface ManifestEntry {
  readonly path: string;
  readonly entry: Entry;
  /** Null: nothing is known, it has to be read. */
  readonly original: Stamp | null;
  readonly copy: Stamp | null;
}

/** A conflict that somebody is to resolve in the sandbox before the next commit. */
export interface OpenConflict {
  readonly path: string;
  /** The project's version, beside the plan's; null: both are in one file, between markers. */
  readonly beside: string | null;
}

export interface Manifest {
  readonly exclusion: Exclusion;
  readonly conflicts: readonly OpenConflict[];
  readonly entries: ReadonlyMap<string, ManifestEntry>;
  readonly base: BaseStore;
  /** Names what was copied: 64 hex digits. */
  readonly id: string;
}

const VERSION = 1;
export const MANIFEST = 'manifest.json';
export const NEXT_MANIFEST = 'manifest.next.json';

type Figures = readonly [number, number, number, number] | null;
type Row = readonly [string, 'file' | 'link' | 'directory', number, string, Place, number, Figures, Figures];

interface Stored {
  readonly version: number;
  readonly id: string;
  readonly exclude: readonly string[];
  readonly linked: readonly string[];
  readonly conflicts: readonly OpenConflict[];
  readonly rows: readonly Row[];
}

/** @throws SandboxError `SANDBOX_BROKEN` when there is none, or one of another version. */
export function readManifest(folder: string): Manifest {
  let stored: Stored;
  try {
    stored = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Stored;
  } catch (cause) {
    if (!(cause instanceof SyntaxError) && !hasCode(cause, 'ENOENT')) throw cause;
    throw broken(folder, cause);
  }
  if (stored.version !== VERSION) throw broken(folder);
  const entries = new Map<string, ManifestEntry>();
  const places: (readonly [string, Place, number])[] = [];
  for (const [path, kind, mode, content, place, size, original, copy] of stored.rows) {
    if (kind === 'file') places.push([content, place, size]);
    const entry: Entry =
      kind === 'link'
        ? { kind, target: content }
        : kind === 'directory'
          ? { kind, mode }
          : { kind, mode, size, sha256: content };
    entries.set(path, { path, entry, original: stampFrom(original), copy: stampFrom(copy) });
  }
  return {
    id: stored.id,
    exclusion: new Exclusion(stored.exclude, stored.linked),
    conflicts: stored.conflicts,
    entries,
    base: new BaseStore(folder, places),
  };
}

export function hasManifest(folder: string): boolean {
  return existsSync(join(folder, MANIFEST));
}

/** @returns the id of what was written. */
export async function writeManifest(
  folder: string,
  manifest: Omit<Manifest, 'id'>,
  { name = MANIFEST, durable = true }: { readonly name?: string; readonly durable?: boolean } = {},
): Promise<string> {
  const { exclusion, conflicts, base } = manifest;
  const sorted = [...manifest.entries.values()].sort(byPath);
  const id = idOf(sorted);
  const rows = sorted.map((each) => rowOf(each, base));
  const { patterns: exclude, linked } = exclusion;
  const stored: Stored = { version: VERSION, id, exclude, linked, conflicts, rows };
  await writeFileAtomically(join(folder, name), JSON.stringify(stored), { mode: 0o600, durable });
  return id;
}

function idOf(entries: readonly ManifestEntry[]): string {
  return sha256Hex(entries.map(({ path, entry }) => JSON.stringify([path, entry])).join('\n'));
}

function rowOf({ path, entry, original, copy }: ManifestEntry, base: BaseStore): Row {
  const stamps = [figuresOf(original), figuresOf(copy)] as const;
  if (entry.kind === 'link') return [path, 'link', 0, entry.target, 0, 0, ...stamps];
  if (entry.kind === 'directory') return [path, 'directory', entry.mode, '', 0, 0, ...stamps];
  const place = base.placeOf(entry.sha256);
  if (place === null) throw new Error(`the base store does not hold ${path}`);
  return [path, 'file', entry.mode, entry.sha256, place, entry.size, ...stamps];
}

function figuresOf(stamp: Stamp | null): Figures {
  return stamp === null ? null : [stamp.inode, stamp.size, stamp.modifiedMs, stamp.changedMs];
}

function stampFrom(figures: Figures): Stamp | null {
  if (figures === null) return null;
  const [inode, size, modifiedMs, changedMs] = figures;
  return { inode, size, modifiedMs, changedMs };
}

function broken(folder: string, cause?: unknown): SandboxError {
  return new SandboxError(
    'SANDBOX_BROKEN',
    `What is known of the sandbox is gone or cannot be read: ${folder}`,
    {
      hint: 'Save its files by hand if you need them, then remove it: `cleveragents plan cleanup`.',
      data: { folder },
      cause,
    },
  );
}
