import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type BigStat, encodeStat, indexStatOf, type ObjectId, patchIndex } from '@cleveragents/git-domain';
import { writeFileAtomically } from '@cleveragents/shared-adapter-fs';
import { hasCode } from '@cleveragents/shared-kernel';
import type { FillWorktree } from './add-worktree.ts';
import { isRacy, type LoadedIndex, loadIndex, matchesStat, sha1 } from './index-file.ts';
import { indexOfTree } from './index-of-tree.ts';
import type { ObjectDatabase } from './object-database.ts';
import type { Pace } from './pace.ts';
import type { Repository } from './repository.ts';
import { isLink, isRegular, isSameMoment, lstatIfThere, readFully } from './steady-file.ts';

export interface PopulateRequest {
  /** An empty directory. */
  readonly target: string;
  readonly tree: ObjectId;
  readonly objects: ObjectDatabase;
  /** A work tree whose files may be copied where they are what the tree has; null: there is none. */
  readonly original: { readonly workTree: string; readonly index: LoadedIndex } | null;
  readonly pace: Pace;
}

const SCRATCH_BYTES = 1 << 20;
const MODE_OFFSET = 24;
/** How old every file is made to look, so that git is sure of it at its first look. */
const SETTLED_SECONDS = 2;

/**
 * Puts the files of a tree into an empty directory, and gives the bytes of the index that goes with them.
 *
 * A file that lies unchanged in the original is copied from there, which costs less than to find and to inflate its
 * object. Never by a hard link: a write in one place would show in the other.
 */
export async function populateWorktree(request: PopulateRequest): Promise<Uint8Array> {
  const { tree, objects, original, pace } = request;
  const template = await indexOfTree(objects, tree, original?.index ?? null);
  pace.begin('clone', template.index.view.entryCount);
  const population = new Population(request, template.index);
  for (let entry = 0; entry < template.index.view.entryCount; entry++) {
    if (pace.step()) await pace.breathe();
    population.place(entry, template.sourceOf(entry));
  }
  return patchIndex(template.index.view, { keepExtensions: ['TREE'] }, sha1);
}

/** Fills new worktrees of `repository` with the tree. */
export function fillWith({ layout, objects }: Repository, tree: ObjectId): FillWorktree {
  return async ({ workTree, gitDirectory }, pace) => {
    const original =
      layout.workTree === null ? null : { workTree: layout.workTree, index: loadIndex(layout.gitDirectory) };
    const index = await populateWorktree({ target: workTree, tree, objects, original, pace });
    await writeFileAtomically(join(gitDirectory, 'index'), index, { durable: false });
  };
}

class Population {
  readonly #request: PopulateRequest;
  readonly #index: LoadedIndex;
  readonly #latestSeconds = Math.floor(Date.now() / 1000) - SETTLED_SECONDS;
  readonly #directories = new Set<string>(['']);
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #lastDirectory = '';

  constructor(request: PopulateRequest, index: LoadedIndex) {
    this.#request = request;
    this.#index = index;
  }

  /** @param source number of the original's entry for the same content, or -1. */
  place(entry: number, source: number): void {
    const path = this.#index.view.path(entry);
    const target = `${this.#request.target}/${path}`;
    this.#makeParents(path);
    const offset = this.#index.view.offset(entry);
    const stat = this.#placeAt(target, path, { entry, source });
    encodeStat(indexStatOf(stat), this.#index.bytes, offset);
  }

  #placeAt(target: string, path: string, entry: { entry: number; source: number }): BigStat {
    const mode = this.#index.bytes.readUInt32BE(this.#index.view.offset(entry.entry) + MODE_OFFSET);
    if (mode === 0o160000) {
      mkdirSync(target);
      return lstatSync(target, { bigint: true });
    }
    if (mode === 0o120000) {
      symlinkSync(this.#linkTarget(path, entry), target);
      return lstatSync(target, { bigint: true });
    }
    return this.#placeFile(target, path, { ...entry, isExecutable: mode === 0o100755 });
  }

  #placeFile(
    target: string,
    path: string,
    { entry, source, isExecutable }: { entry: number; source: number; isExecutable: boolean },
  ): BigStat {
    const copied = source < 0 ? null : this.#readOriginal(path, { source, isExecutable });
    const bytes = copied?.bytes ?? this.#request.objects.readBlobSync(this.#index.view.idHex(entry));
    const seconds = Math.min(copied?.seconds ?? this.#latestSeconds, this.#latestSeconds);
    const handle = openSync(target, 'wx', isExecutable ? 0o777 : 0o666);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
      futimesSync(handle, seconds, seconds);
      return fstatSync(handle, { bigint: true });
    } finally {
      closeSync(handle);
    }
  }

  /** Null unless the file is, without doubt, the one that the original's index describes. */
  #readOriginal(
    path: string,
    { source, isExecutable }: { source: number; isExecutable: boolean },
  ): { bytes: Buffer; seconds: number } | null {
    const { workTree } = this.#request.original as NonNullable<PopulateRequest['original']>;
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = openIfThere(`${workTree}/${path}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (handle === null) return null;
    try {
      const stat = fstatSync(handle);
      const isPlain = isRegular(stat) && ((stat.mode & 0o100) !== 0) === isExecutable;
      if (!isPlain || !this.#isAsIndexed(source, stat)) return null;
      if (stat.size > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(stat.size);
      const bytes = this.#scratch.subarray(0, stat.size);
      const isWhole = readFully(handle, bytes) === stat.size && isSameMoment(stat, fstatSync(handle));
      return isWhole ? { bytes, seconds: Math.floor(stat.mtimeMs / 1000) } : null;
    } finally {
      closeSync(handle);
    }
  }

  #linkTarget(path: string, { entry, source }: { entry: number; source: number }): Buffer {
    const original = this.#request.original;
    const address = `${original?.workTree ?? ''}/${path}`;
    const stat = source < 0 ? null : lstatIfThere(address);
    if (stat !== null && isLink(stat) && this.#isAsIndexed(source, stat)) {
      const target = readLinkIfThere(address);
      const after = lstatIfThere(address);
      if (target !== null && after !== null && isSameMoment(stat, after)) return target;
    }
    return this.#request.objects.readBlobSync(this.#index.view.idHex(entry));
  }

  #isAsIndexed(source: number, stat: Parameters<typeof matchesStat>[2]): boolean {
    const { index } = this.#request.original as NonNullable<PopulateRequest['original']>;
    const offset = index.view.offset(source);
    return matchesStat(index.bytes, offset, stat) && !isRacy(index.bytes, offset, index.writtenMs);
  }

  #makeParents(path: string): void {
    const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (directory === this.#lastDirectory) return;
    this.#makeDirectory(directory);
    this.#lastDirectory = directory;
  }

  #makeDirectory(directory: string): void {
    if (this.#directories.has(directory)) return;
    this.#makeDirectory(directory.slice(0, Math.max(0, directory.lastIndexOf('/'))));
    mkdirSync(`${this.#request.target}/${directory}`);
    this.#directories.add(directory);
  }
}

/** Null for whatever makes the original's file no source: the object has the same bytes. */
function openIfThere(path: string, flags: number): number | null {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO')) return null;
    throw error;
  }
}

function readLinkIfThere(path: string): Buffer | null {
  try {
    return readlinkSync(path, 'buffer');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EINVAL', 'ENOTDIR')) return null;
    throw error;
  }
}
