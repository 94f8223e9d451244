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
  type Dirent,
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
import { FileMoving, linkTarget, readDescriptor, type ReadFile } from './file-bytes.ts';
import type { ManifestEntry } from './manifest.ts';
import type { Pace } from './pace.ts';
import { below, PinnedFolder, readably } from './pinned-folder.ts';

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
    const entries = source.entries((shown) => {
      const path = below(prefix, shown);
      if (!this.#exclusion.leavesOut(path, false)) this.#refuse(path, 'has a name that is no UTF-8');
    });
    for (const entry of entries) {
      const { name } = entry;
      const path = below(prefix, name);
      if (this.#exclusion.leavesOut(path, entry.isDirectory())) continue;
      const rest = this.#pace.step();
      if (rest !== null) await rest;
      if (entry.isDirectory()) await this.#folder(source, target, name, path);
      else this.#leaf(source, target, entry, path);
    }
  }

  async #folder(source: PinnedFolder, target: PinnedFolder, name: string, path: string): Promise<void> {
    const from = this.#tried(path, () => source.enter(name));
    if (from === null) return;
    try {
      const stats = fstatSync(from.descriptor);
      readably(() => mkdirSync(target.address(name), { mode: 0o700 }));
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

  #leaf(source: PinnedFolder, target: PinnedFolder, entry: Dirent, path: string): void {
    const { name } = entry;
    if (entry.isSymbolicLink()) this.#link(source, target, name, path);
    else if (entry.isFile()) this.#tried(path, () => readably(() => this.#file(source, target, name, path)));
    else this.#refuse(path, kindOf(entry));
  }

  #link(source: PinnedFolder, target: PinnedFolder, name: string, path: string): void {
    const stats = source.stat(name);
    const linked = this.#tried(path, () => linkTarget(source, name));
    if (linked === null || stats === null) return;
    readably(() => {
      symlinkSync(linked, target.address(name));
      lutimesSync(target.address(name), stats.atimeMs / 1000, stats.mtimeMs / 1000);
    });
    this.entries.set(path, { path, entry: { kind: 'link', target: linked }, original: null, copy: null });
  }

  #file(source: PinnedFolder, target: PinnedFolder, name: string, path: string): void {
    const from = source.openFile(name);
    try {
      const stats = fstatSync(from);
      if (stats.size >= CLONE_BYTES && this.#canClone && this.#cloned(from, target, name, path)) return;
      this.#read(from, stats, { target, name, path });
    } finally {
      closeSync(from);
    }
  }

  #read(
    from: number,
    stats: Stats,
    { target, name, path }: { readonly target: PinnedFolder; readonly name: string; readonly path: string },
  ): void {
    const copy = new NewFile(target.address(name));
    try {
      const read = readDescriptor(
        from,
        (piece) => {
          copy.write(piece);
          this.#base.take(piece);
        },
        ({ mode }) => {
          copy.begin(mode & PERMISSIONS);
          this.#base.begin();
        },
        stats,
      );
      this.#base.keep(read.entry.sha256);
      this.#note(path, read, copy.descriptor);
    } catch (error) {
      if (isOfTheFile(error)) copy.remove();
      throw error;
    } finally {
      copy.close();
    }
  }

  /** Shares the blocks, where the file system can. The clone is what is read: it stands still. */
  #cloned(from: number, target: PinnedFolder, name: string, path: string): boolean {
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
        const read = readDescriptor(copy);
        if (this.#base.clone(read.entry.sha256, copy, read.entry.size) === null) this.#takeBytes(copy);
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
    }
  }

  #takeBytes(copy: number): void {
    const { entry } = readDescriptor(
      copy,
      (piece) => this.#base.take(piece),
      () => this.#base.begin(),
    );
    this.#base.keep(entry.sha256);
  }

  #note(path: string, { entry, stamp, stats }: ReadFile, copy: number): void {
    futimesSync(copy, stats.atimeMs / 1000, stats.mtimeMs / 1000);
    let made = fstatSync(copy);
    if ((made.mode & PERMISSIONS) !== entry.mode) {
      fchmodSync(copy, entry.mode); // the umask was stricter
      made = fstatSync(copy);
    }
    const original = settledStamp(stamp, Date.now());
    this.entries.set(path, { path, entry, original, copy: stampOf(made) });
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

function kindOf(entry: Dirent): string {
  if (entry.isFIFO()) return 'is a pipe';
  if (entry.isSocket()) return 'is a socket';
  return 'is a device';
}

/** A file of the copy, which is made when the first try to read begins and is emptied when another does. */
class NewFile {
  readonly #path: string;
  #descriptor: number | null = null;
  #written = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get descriptor(): number {
    if (this.#descriptor === null) throw new Error(`${this.#path} was not made`);
    return this.#descriptor;
  }

  begin(mode: number): void {
    this.#descriptor ??= openSync(this.#path, O_RDWR | O_CREAT | O_EXCL, mode);
    if (this.#written > 0) ftruncateSync(this.#descriptor, 0);
    this.#written = 0;
  }

  write(piece: Uint8Array): void {
    for (let done = 0; done < piece.length;)
      done += writeSync(this.descriptor, piece, done, piece.length - done, this.#written + done);
    this.#written += piece.length;
  }

  remove(): void {
    if (this.#descriptor !== null) unlinkSync(this.#path);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}
