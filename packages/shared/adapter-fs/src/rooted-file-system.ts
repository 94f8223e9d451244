import type {
  FileContent,
  FileStatus,
  Fingerprint,
  RootedFileSystem,
  RootedPath,
  Walk,
  WalkEntry,
  WalkOptions,
  WriteOptions,
  WriteOutcome,
} from '@cleveragents/shared-kernel';
import {
  hasCode,
  parseRootedPath,
  refuseGitNames,
  rootedFileError,
  traversalRefused,
} from '@cleveragents/shared-kernel';
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemCalls } from './rooted-calls.ts';
import { nodeCalls } from './rooted-calls.ts';
import { checkedPaths } from './rooted-checked-paths.ts';
import { translated, unlessMissing } from './rooted-errors.ts';
import { fingerprintOf } from './rooted-fingerprint.ts';
import { canPinPaths, pinnedPaths } from './rooted-pinned-paths.ts';
import type { Pin } from './rooted-pinning.ts';
import {
  readInChunks,
  readWhole,
  refuseUnlessFile,
  sha256Of,
  entryTypeOf,
  statusOf,
} from './rooted-reading.ts';
import { leadsOut, parentOf, reachPath } from './rooted-resolution.ts';
import { RootedWalk } from './rooted-walk.ts';
import type { Access, MadeDirectories } from './rooted-writing.ts';
import { placeForWriting, reachDirectory, replaceFile, unmakeDirectories } from './rooted-writing.ts';

export interface RootedFileSystemOptions {
  /** `checked` forgoes pinned paths where the system has them. Default: the strongest form that it has. */
  readonly confinement?: 'checked' | undefined;
  /** The system calls to use, for tests that make one fail. */
  readonly calls?: SystemCalls | undefined;
}

/**
 * Opens a directory as the only one that the paths of agents can reach. The root may itself be given through a link.
 *
 * @throws RootedFileError `NOT_A_DIRECTORY`, `FILE_NOT_FOUND`: the root is none
 */
export async function openRootedFileSystem(
  root: string,
  { confinement, calls = nodeCalls }: RootedFileSystemOptions = {},
): Promise<RootedFileSystem> {
  let place: string;
  try {
    place = await realpath(root);
    if (!(await stat(place)).isDirectory())
      throw rootedFileError('NOT_A_DIRECTORY', root, 'is not a directory, so it cannot be a root');
  } catch (error) {
    throw translated(root, error);
  }
  const pinning =
    confinement !== 'checked' && canPinPaths(calls) ? pinnedPaths(place, calls) : checkedPaths(place, calls);
  return new NodeRootedFileSystem({ root: place, pinning, calls });
}

class NodeRootedFileSystem implements RootedFileSystem {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  get confinement(): 'pinned' | 'checked' {
    return this.#access.pinning.confinement;
  }

  async status(raw: string): Promise<FileStatus | undefined> {
    try {
      return this.#holding(parse(raw), statusOf);
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  async entryType(raw: string): Promise<WalkEntry['type'] | undefined> {
    const path = parse(raw);
    const name = path.segments.at(-1);
    if (name === undefined || name === '..') return (await this.status(raw))?.type;
    try {
      const type = this.#holding(parentOf(path), ({ address }) => {
        const stats = this.#access.calls.lstatIfThere(`${address}/${name}`);
        return stats && entryTypeOf(stats);
      });
      return type === 'directory' || !path.namesDirectory ? type : (await this.status(raw))?.type;
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND', 'NOT_A_DIRECTORY')) return undefined;
      throw error;
    }
  }

  async read(raw: string, { maxBytes }: { readonly maxBytes: number }): Promise<FileContent> {
    const { pinning, calls } = this.#access;
    return this.#using(this.#reachFile(raw), raw, (pin) => {
      const descriptor = pinning.openForReading(pin);
      try {
        const bytes = readWhole(descriptor, pin.stats.size, maxBytes, calls);
        if (bytes === undefined)
          throw rootedFileError('FILE_TOO_LARGE', raw, `is larger than ${maxBytes} bytes`, {
            data: { size: pin.stats.size, maxBytes },
          });
        return contentOf(bytes, statusOf(pin));
      } finally {
        calls.close(descriptor);
      }
    });
  }

  async *stream(raw: string): AsyncGenerator<Uint8Array, void, undefined> {
    const { pinning, calls } = this.#access;
    const pin = this.#reachFile(raw);
    try {
      yield* readInChunks(pin, pinning, calls);
    } catch (error) {
      throw translated(raw, error);
    } finally {
      pin.release();
    }
  }

  async fingerprint(
    raw: string,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<Fingerprint | undefined> {
    try {
      return await fingerprintOf(parse(raw), maxBytes, this.#access);
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND', 'NOT_A_DIRECTORY', 'ENOENT', 'ENOTDIR')) return undefined;
      throw translated(raw, error);
    }
  }

  async write(raw: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<WriteOutcome> {
    const path = this.#parseForChange(raw);
    const made: MadeDirectories = [];
    try {
      const place = placeForWriting(path, this.#access, options, made);
      try {
        return replaceFile(path, place, bytes, options, this.#access);
      } finally {
        place.parent.release();
      }
    } catch (error) {
      unmakeDirectories(made, this.#access);
      throw this.#explained(path, error);
    }
  }

  async remove(raw: string): Promise<boolean> {
    const path = this.#parseForChange(raw);
    const { calls, pinning } = this.#access;
    try {
      const parent = reachDirectory(path, path.segments.slice(0, -1), this.#access, undefined);
      try {
        const name = path.segments.at(-1) ?? '';
        const entry = pinning.reachEntry(name, parent);
        entry.release();
        if (entry.stats.isDirectory())
          throw rootedFileError('NOT_A_REGULAR_FILE', raw, 'is a directory, not a regular file');
        calls.unlink(`${parent.address}/${name}`);
        return true;
      } finally {
        parent.release();
      }
    } catch (error) {
      // Where a link at the end leads is of no concern: the link is what would be removed.
      const explained = this.#explained(path, error, path.segments.slice(0, -1));
      if (hasCode(explained, 'FILE_NOT_FOUND')) return false;
      throw explained;
    }
  }

  async makeDirectory(raw: string): Promise<boolean> {
    const path = parse(raw);
    refuseGitNames(raw, path.segments);
    const made: MadeDirectories = [];
    try {
      reachDirectory(path, path.segments, this.#access, made).release();
      return made.length > 0;
    } catch (error) {
      unmakeDirectories(made, this.#access);
      throw this.#explained(path, error);
    }
  }

  walk(raw: string, options: WalkOptions): Walk {
    const start = (): Pin => {
      const pin = this.#reach(parse(raw));
      if (pin.stats.isDirectory()) return pin;
      pin.release();
      throw rootedFileError('NOT_A_DIRECTORY', raw, 'is not a directory');
    };
    return new RootedWalk(start, options, this.#access.pinning, this.#access.calls);
  }

  async hostPath(raw: string): Promise<string | undefined> {
    const path = parse(raw);
    const { root, calls } = this.#access;
    for (let length = path.segments.length; ; length--) {
      try {
        const reached = this.#holding(
          { ...path, segments: path.segments.slice(0, length) },
          (pin) => pin.path,
        );
        return join(root, reached, ...path.segments.slice(length));
      } catch (error) {
        if (!hasCode(error, 'FILE_NOT_FOUND') || length === 0) throw error;
        if (
          path.segments[length - 1] === '..' ||
          isLink(join(root, ...path.segments.slice(0, length)), calls)
        )
          throw error;
      }
    }
  }

  #reach(path: RootedPath): Pin {
    const { pinning, root, calls } = this.#access;
    return reachPath(path, pinning, root, calls);
  }

  /** @throws RootedFileError `NOT_A_REGULAR_FILE`, also for what could be no file and is not there */
  #reachFile(raw: string): Pin {
    const path = parse(raw);
    const pin = this.#reachUnlessNamesDirectory(path);
    try {
      refuseUnlessFile(raw, pin);
      return pin;
    } catch (error) {
      pin.release();
      throw error;
    }
  }

  #reachUnlessNamesDirectory(path: RootedPath): Pin {
    try {
      return this.#reach(path);
    } catch (error) {
      throw path.namesDirectory && hasCode(error, 'FILE_NOT_FOUND') ? namesADirectory(path.raw) : error;
    }
  }

  #holding<Result>(path: RootedPath, use: (pin: Pin) => Result): Result {
    return this.#using(this.#reach(path), path.raw, use);
  }

  #using<Result>(pin: Pin, raw: string, use: (pin: Pin) => Result): Result {
    try {
      return use(pin);
    } catch (error) {
      throw translated(raw, error);
    } finally {
      pin.release();
    }
  }

  /** A path to write or to remove: it must name something in a directory, and nothing of git. */
  #parseForChange(raw: string): RootedPath {
    const path = parse(raw);
    refuseGitNames(raw, path.segments);
    if (path.segments.length > 0 && !path.namesDirectory) return path;
    this.#reachFile(raw).release();
    throw namesADirectory(raw);
  }

  #explained(path: RootedPath, error: unknown, segments = path.segments): unknown {
    const { root, calls } = this.#access;
    if (hasCode(error, 'PATH_PROTECTED', 'FILE_CHANGED')) return error;
    return leadsOut(segments, root, calls) ? traversalRefused() : translated(path.raw, error);
  }
}

/** Its digest is made when somebody asks: a search reads many files, and none of theirs is wanted. */
function contentOf(bytes: Uint8Array, status: FileStatus): FileContent {
  let sha256: string | undefined;
  return {
    bytes,
    get sha256() {
      return (sha256 ??= sha256Of(bytes));
    },
    status: { ...status, size: bytes.length },
  };
}

function parse(raw: string): RootedPath {
  return parseRootedPath(raw, { windows: process.platform === 'win32' });
}

function isLink(path: string, calls: SystemCalls): boolean {
  return unlessMissing(() => calls.lstat(path))?.isSymbolicLink() ?? false;
}

function namesADirectory(raw: string): Error {
  return rootedFileError('NOT_A_REGULAR_FILE', raw, 'names a directory, not a regular file', {
    hint: raw.endsWith('/') ? 'Leave out the slash at its end to name a file.' : undefined,
  });
}
