import { createHash } from 'node:crypto';
import type { SandboxConflict } from '@cleveragents/sandbox-ports';
import { byPath, type Change, type Entry, sameEntry } from './entry.ts';
import type { Source } from './exchange.ts';
import type { Manifest, OpenConflict } from './manifest.ts';
import { mergePath } from './path-merge.ts';
import { readBelow } from './session.ts';
import type { TreeScan } from './tree-scan.ts';

/** What brings the project's later changes into a sandbox. */
export interface RefreshPlan {
  readonly changes: readonly Change[];
  readonly sourceOf: (path: string) => Source;
  readonly conflicts: readonly SandboxConflict[];
  readonly open: readonly OpenConflict[];
}

export interface Sides {
  readonly manifest: Manifest;
  readonly sandbox: TreeScan;
  readonly original: TreeScan;
  readonly sandboxPath: string;
  readonly originalPath: string;
}

/** Merges each path that the project changed since the sandbox's base. Writes nothing. */
export function planRefresh(sides: Sides): RefreshPlan {
  const plan = new Refresh(sides);
  const paths = new Set([...sides.manifest.entries.keys(), ...sides.original.entries.keys()]);
  for (const path of [...paths].sort()) plan.merge(path);
  plan.changes.sort(byPath);
  return plan;
}

class Refresh implements RefreshPlan {
  readonly changes: Change[] = [];
  readonly conflicts: SandboxConflict[] = [];
  readonly open: OpenConflict[] = [];
  readonly #sides: Sides;
  readonly #sources = new Map<string, Source>();

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  sourceOf = (path: string): Source => {
    const source = this.#sources.get(path);
    if (source === undefined) throw new Error(`nothing is to be written at ${path}`);
    return source;
  };

  merge(path: string): void {
    const { manifest, sandbox, original } = this.#sides;
    const base = manifest.entries.get(path)?.entry ?? null;
    const theirs = original.entries.get(path)?.entry ?? null;
    if (sameEntry(base, theirs) || original.omitted.has(path)) return;
    const ours = sandbox.entries.get(path)?.entry ?? null;
    const { result, bytes, conflict } = mergePath({
      path,
      base,
      ours,
      theirs,
      read: (side) => this.#read(path, side, { base, ours, theirs }),
    });
    if (!sameEntry(ours, result))
      this.#change(path, ours, result, this.#sourceFor(path, result, theirs, bytes));
    if (conflict === null) return;
    this.conflicts.push({ path, kind: conflict.kind, detail: conflict.detail });
    if (conflict.hasMarkers) this.open.push({ path, beside: null });
    else if (conflict.kind !== 'deleted-by-us' && theirs !== null && theirs.kind !== 'directory')
      this.#putBeside(path, theirs);
  }

  #sourceFor(path: string, result: Entry | null, theirs: Entry | null, bytes: Uint8Array | null): Source {
    if (bytes !== null) return { bytes };
    const isTheirs = result?.kind !== 'file' || (theirs?.kind === 'file' && theirs.sha256 === result.sha256);
    return { root: isTheirs ? this.#sides.originalPath : this.#sides.sandboxPath, path };
  }

  #putBeside(path: string, theirs: Entry): void {
    const { sandbox, originalPath } = this.#sides;
    const name = beside(path, (each) => sandbox.entries.has(each) || this.#sources.has(each));
    this.#change(name, null, theirs, { root: originalPath, path });
    this.open.push({ path, beside: name });
  }

  #change(path: string, before: Entry | null, after: Entry | null, source: Source): void {
    this.changes.push({ path, before, after });
    this.#sources.set(path, source);
  }

  #read(
    path: string,
    side: 'base' | 'ours' | 'theirs',
    entries: Readonly<Record<'base' | 'ours' | 'theirs', Entry | null>>,
  ): Uint8Array {
    const { manifest, sandboxPath, originalPath } = this.#sides;
    const entry = entries[side];
    if (entry?.kind !== 'file') return new Uint8Array();
    if (side === 'base') return manifest.base.read(entry.sha256);
    const bytes = readBelow(side === 'ours' ? sandboxPath : originalPath, path);
    if (createHash('sha256').update(bytes).digest('hex') !== entry.sha256) throw new SideMoving(path);
    return bytes;
  }
}

/** A file was written while it was merged. */
export class SideMoving extends Error {}

/** A free name for the project's version of a path. */
export function beside(path: string, isTaken: (path: string) => boolean): string {
  for (let attempt = 1; ; attempt++) {
    const name = `${path}~project${attempt === 1 ? '' : `-${attempt}`}`;
    if (!isTaken(name)) return name;
  }
}
