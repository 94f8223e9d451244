import { closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, withReadablePaths } from '@cleveragents/shared-kernel';

/** Linux's O_PATH, which Node does not name: a handle on the directory itself that needs no right to read it. */
const O_PATH = 0o10000000;
const PINS = process.platform === 'linux';

/**
 * A directory that stays the one it is, whatever becomes of its name: what is opened below it cannot be led elsewhere by
 * somebody who puts a link in its place. Only Linux lets us; elsewhere it is the path, looked at again for each step.
 */
export class PinnedDirectory {
  readonly #handle: number | null;
  readonly #path: string;

  private constructor(handle: number | null, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Null when there is no directory at the path, a link to one included. */
  static open(path: string): PinnedDirectory | null {
    const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
    try {
      const handle = openSync(path, (PINS ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW);
      if (PINS) return new PinnedDirectory(handle, `/proc/self/fd/${handle}`);
      closeSync(handle);
      return new PinnedDirectory(null, path);
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
      throw error;
    }
  }

  /** Null when `name` is no directory here (any more). */
  child(name: string): PinnedDirectory | null {
    return PinnedDirectory.open(this.pathOf(name));
  }

  /** A path for the calls of `node:fs`: good while this directory is not closed. */
  pathOf(name: string): string {
    return `${this.#path}/${name}`;
  }

  /** In no order. Bytes that are no UTF-8 come out as U+FFFD. */
  names(): string[] {
    return readdirSync(this.#path);
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
  }
}

/** Runs `work` with the directory at `relative` (`''`: the root itself) below `root`, reached without following a link. */
export function withPinned<Result>(
  root: string,
  relative: string,
  work: (directory: PinnedDirectory) => Result,
): Result | null {
  let current = PinnedDirectory.open(root);
  try {
    for (const segment of relative === '' ? [] : relative.split('/')) {
      const child: PinnedDirectory | null = current?.child(segment) ?? null;
      current?.close();
      current = child;
    }
    return current === null ? null : work(current);
  } catch (error) {
    throw readably(error);
  } finally {
    current?.close();
  }
}

/** What the system refused below a directory that is pinned still, said of its path. */
export function readably(error: unknown): unknown {
  return withReadablePaths(error, (address) => readlinkSync(address));
}

/** The path of the directory that holds `path`, `''` for the root, and the name in it. */
export function splitPath(path: string): { readonly directory: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return { directory: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}

/** Every directory above `path`, the outermost first; the root is left out. */
export function parentsOf(path: string): readonly string[] {
  const parents: string[] = [];
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
    parents.push(path.slice(0, slash));
  return parents;
}

export function absolutePath(root: string, path: string): string {
  return join(root, ...path.split('/'));
}
