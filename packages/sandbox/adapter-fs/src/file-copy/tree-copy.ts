import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  futimesSync,
  lutimesSync,
  mkdirSync,
  openSync,
  type Stats,
  symlinkSync,
  ftruncateSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { hasCode, messageOf } from '@cleveragents/shared-kernel';
import type { PathAndReason } from '@cleveragents/sandbox-domain';
import { type BaseWriter, CLONE_BYTES } from './base-store.ts';
import { PERMISSIONS, settledStamp, stampOf } from './entry.ts';
import type { Exclusion } from './exclusion.ts';
import { FileMoving, linkTarget, type ReadFile, readWhole } from './file-bytes.ts';
import type { ManifestEntry } from './manifest.ts';
import type { Pace } from './pace.ts';
import { below, PinnedFolder } from './pinned-folder.ts';

export interface TreeCopy {
  readonly entries: Map<string, ManifestEntry>;
  /** Whatever there is that no copy can hold; not empty: the copy must not be used. */
  readonly refused: readonly PathAndReason[];
}

/**
 * Copies a tree into an empty folder: links as links, permissions, empty folders, times to the microsecond. Reads each file
 * once, for the copy, the base store and the hash together. Never a hard link; follows no link.
 */
export async function copyTree(
  from: string,
  to: string,
  parts: { readonly exclusion: Exclusion; readonly base: BaseWriter; readonly pace: Pace },
): Promise<TreeCopy> {
  const copy = new Copy(parts);
  const [source, target] = [PinnedFolder.open(from), PinnedFolder.open(to)];
  try {
    await copy.visit(source, target, '');
  } finally {
    source.close();
    target.close();
  }
  return copy;
}

const { O_CREAT, O_EXCL, O_RDWR } = constants;

class Copy implements TreeCopy {
  readonly entries = new Map<string, ManifestEntry>();
  readonly refused: PathAndReason[] = [];
  readonly #exclusion: Exclusion;
  readonly #base: BaseWriter;
  readonly #pace: Pace;
  #canClone = process.platform === 'linux';

  constructor(parts: { readonly exclusion: Exclusion; readonly base: BaseWriter; readonly pace: Pace }) {
    this.#exclusion = parts.exclusion;
    this.#base = parts.base;
    this.#pace = parts.pace;
  }

  async visit(source: PinnedFolder, target: PinnedFolder, prefix: string): Promise<void> {
    const names = source.names((shown) => {
      this.#refuse(below(prefix, shown), 'has a name that is no UTF-8');
    });
    for (const name of names) {
      const path = below(prefix, name);
      const stats = source.stat(name);
      if (stats === null || this.#exclusion.leavesOut(path, stats.isDirectory())) continue;
      const rest = this.#pace.step();
      if (rest !== null) await rest;
      if (stats.isDirectory()) await this.#folder(source, target, name, path);
      else this.#leaf(source, target, name, path, stats);
    }
  }

  async #folder(source: PinnedFolder, target: PinnedFolder, name: string, path: string): Promise<void> {
    const from = this.#tried(path, () => source.enter(name));
    if (from === null) return;
    try {
      const stats = fstatSync(from.descriptor);
      mkdirSync(target.address(name), { mode: 0o700 });
      const to = target.enter(name);
      try {
        const mode = stats.mode & PERMISSIONS;
        this.entries.set(path, { path, entry: { kind: 'directory', mode }, original: null, copy: null });
        await this.visit(from, to, path);
        fchmodSync(to.descriptor, mode);
        futimesSync(to.descriptor, stats.atimeMs / 1000, stats.mtimeMs / 1000);
      } finally {
        to.close();
      }
    } finally {
      from.close();
    }
  }

  #leaf(source: PinnedFolder, target: PinnedFolder, name: string, path: string, stats: Stats): void {
    if (stats.isSymbolicLink()) this.#link(source, target, name, path, stats);
    else if (stats.isFile()) this.#tried(path, () => this.#file(source, target, name, path, stats));
    else this.#refuse(path, kindOf(stats));
  }

  #link(source: PinnedFolder, target: PinnedFolder, name: string, path: string, stats: Stats): void {
    const linked = this.#tried(path, () => linkTarget(source, name));
    if (linked === null) return;
    symlinkSync(linked, target.address(name));
    lutimesSync(target.address(name), stats.atimeMs / 1000, stats.mtimeMs / 1000);
    this.entries.set(path, { path, entry: { kind: 'link', target: linked }, original: null, copy: null });
  }

  #file(source: PinnedFolder, target: PinnedFolder, name: string, path: string, stats: Stats): void {
    if (stats.size >= CLONE_BYTES && this.#canClone && this.#cloned(source, target, name, path)) return;
    const copy = openSync(target.address(name), O_RDWR | O_CREAT | O_EXCL, 0o600);
    try {
      let written = 0;
      const read = readWhole(
        source,
        name,
        (piece) => {
          writeAll(copy, piece, written);
          written += piece.length;
          this.#base.take(piece);
        },
        () => {
          if (written > 0) ftruncateSync(copy, 0);
          written = 0;
          this.#base.begin();
        },
      );
      this.#base.keep(read.entry.sha256);
      this.#note(path, read, copy);
    } catch (error) {
      if (isOfTheFile(error)) unlinkSync(target.address(name));
      throw error;
    } finally {
      closeSync(copy);
    }
  }

  /** Shares the blocks, where the file system can. The clone is what is read: it stands still. */
  #cloned(source: PinnedFolder, target: PinnedFolder, name: string, path: string): boolean {
    const from = source.openFile(name);
    try {
      const stats = fstatSync(from);
      if (!stats.isFile()) return false;
      copyFileSync(
        `/proc/self/fd/${from}`,
        target.address(name),
        constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE,
      );
      const copy = openSync(target.address(name), O_RDWR);
      try {
        let place: number | null = null;
        const read = readWhole(target, name);
        place = this.#base.clone(read.entry.sha256, copy, read.entry.size);
        if (place === null) {
          readWhole(
            target,
            name,
            (piece) => this.#base.take(piece),
            () => this.#base.begin(),
          );
          this.#base.keep(read.entry.sha256);
        }
        const entry = { ...read.entry, mode: stats.mode & PERMISSIONS };
        this.#note(path, { entry, stamp: stampOf(stats), stats }, copy);
      } finally {
        closeSync(copy);
      }
      return true;
    } catch (error) {
      if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EIO', 'EACCES', 'ENOENT')) throw error;
      this.#canClone = false;
      return false;
    } finally {
      closeSync(from);
    }
  }

  #note(path: string, { entry, stamp, stats }: ReadFile, copy: number): void {
    fchmodSync(copy, entry.mode);
    futimesSync(copy, stats.atimeMs / 1000, stats.mtimeMs / 1000);
    this.entries.set(path, {
      path,
      entry,
      original: settledStamp(stamp, Date.now()),
      copy: stampOf(fstatSync(copy)),
    });
  }

  /** What the original refuses is named, so that a person learns of all of it at once. */
  #tried<T>(path: string, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR')) return null; // gone or swapped for a link meanwhile
      if (!isOfTheFile(error)) throw error;
      const reason = error instanceof FileMoving ? 'is being written all the time' : messageOf(error);
      this.#refuse(path, hasCode(error, 'EACCES', 'EPERM') ? 'cannot be read: permission denied' : reason);
      return null;
    }
  }

  #refuse(path: string, reason: string): void {
    this.refused.push({ path, reason });
  }
}

function isOfTheFile(error: unknown): boolean {
  return (
    error instanceof FileMoving ||
    hasCode(error, 'EACCES', 'EPERM', 'EILSEQ', 'ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO')
  );
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'is a pipe';
  if (stats.isSocket()) return 'is a socket';
  return 'is a device';
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
}
