import type { Stats } from 'node:fs';
import type { PathAndReason } from '@cleveragents/sandbox-domain';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import { type Entry, PERMISSIONS, sameStamp, type Stamp, stampOf } from './entry.ts';
import type { Exclusion } from './exclusion.ts';
import { FileMoving, linkTarget, readWhole } from './file-bytes.ts';
import type { Pace } from './pace.ts';
import { below, PinnedFolder } from './pinned-folder.ts';

export interface Found {
  readonly entry: Entry;
  /** Null for a folder. */
  readonly stamp: Stamp | null;
}

export interface TreeScan {
  readonly entries: ReadonlyMap<string, Found>;
  /** What cannot be taken along, by path: it is as if it were not there. */
  readonly omitted: ReadonlyMap<string, string>;
  /** Files that somebody wrote all the time. */
  readonly moving: readonly string[];
}

/** What is known of a path from before. */
export type Known = (path: string) => { readonly entry: Entry; readonly stamp: Stamp | null } | null;

/** Reads a tree: what is known by its stamp is not read again. Follows no link. */
export async function scanTree(
  root: string,
  { exclusion, known, pace }: { readonly exclusion: Exclusion; readonly known: Known; readonly pace: Pace },
): Promise<TreeScan> {
  const scan = new Scan(exclusion, known, pace);
  const folder = PinnedFolder.open(root);
  try {
    await scan.visit(folder, '');
  } finally {
    folder.close();
  }
  return scan;
}

/** Holds nothing that could be kept. */
const SPECIAL = 'is a socket, pipe or device';
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EILSEQ: 'is a link whose target is no UTF-8',
};

class Scan implements TreeScan {
  readonly entries = new Map<string, Found>();
  readonly omitted = new Map<string, string>();
  readonly moving: string[] = [];
  readonly #exclusion: Exclusion;
  readonly #known: Known;
  readonly #pace: Pace;

  constructor(exclusion: Exclusion, known: Known, pace: Pace) {
    this.#exclusion = exclusion;
    this.#known = known;
    this.#pace = pace;
  }

  async visit(folder: PinnedFolder, prefix: string): Promise<void> {
    const names = folder.names((shown) => {
      const path = below(prefix, shown);
      if (!this.#exclusion.leavesOut(path, false)) this.omitted.set(path, 'has a name that is no UTF-8');
    });
    for (const name of names) {
      const path = below(prefix, name);
      const stats = folder.stat(name);
      if (stats === null || this.#exclusion.leavesOut(path, stats.isDirectory())) continue;
      const rest = this.#pace.step();
      if (rest !== null) await rest;
      if (stats.isDirectory()) await this.#enter(folder, name, path, stats);
      else this.#look(folder, name, path, stats);
    }
  }

  async #enter(outer: PinnedFolder, name: string, path: string, stats: Stats): Promise<void> {
    let folder: PinnedFolder;
    try {
      folder = outer.enter(name);
    } catch (error) {
      this.#omit(path, error);
      return;
    }
    try {
      this.entries.set(path, {
        entry: { kind: 'directory', mode: stats.mode & PERMISSIONS },
        stamp: null,
      });
      await this.visit(folder, path);
    } catch (error) {
      this.#omit(path, error);
    } finally {
      folder.close();
    }
  }

  #look(folder: PinnedFolder, name: string, path: string, stats: Stats): void {
    try {
      if (stats.isSymbolicLink())
        this.entries.set(path, { entry: { kind: 'link', target: linkTarget(folder, name) }, stamp: null });
      else if (stats.isFile()) this.entries.set(path, this.#file(folder, name, path, stats));
      else this.omitted.set(path, SPECIAL);
    } catch (error) {
      if (error instanceof FileMoving) this.moving.push(path);
      else this.#omit(path, error);
    }
  }

  #file(folder: PinnedFolder, name: string, path: string, stats: Stats): Found {
    const before = this.#known(path);
    const stamp = stampOf(stats);
    if (before !== null && before.entry.kind === 'file' && sameStamp(before.stamp, stamp)) {
      const mode = stats.mode & PERMISSIONS;
      return { entry: before.entry.mode === mode ? before.entry : { ...before.entry, mode }, stamp };
    }
    const read = readWhole(folder, name);
    return { entry: read.entry, stamp: read.stamp };
  }

  #omit(path: string, error: unknown): void {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR')) return; // gone or swapped meanwhile: a second look tells
    const code = (error as { code?: unknown } | null)?.code;
    if (typeof code !== 'string' || !/^E[A-Z]/.test(code) || code === 'EMFILE' || code === 'EIO') throw error;
    this.omitted.set(path, REASONS[code] ?? `cannot be read: ${messageOf(error)}`);
  }
}

/** What holds work, and cannot be kept when the sandbox goes. */
export function unkeptFiles(scan: TreeScan): readonly PathAndReason[] {
  return omissionsOf(scan).filter(({ reason }) => reason !== SPECIAL);
}

export function omissionsOf({ omitted }: TreeScan): readonly PathAndReason[] {
  return [...omitted].map(([path, reason]) => ({ path, reason }));
}
