import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { PromiseFsClient } from 'isomorphic-git';
import { hasCode } from '@cleveragents/shared-kernel';
import { gitPath, type RepositoryLayout } from './repository-layout.ts';

/**
 * The `fs` that isomorphic-git needs to work on a linked worktree, whose shared files it would not find by itself. Give it
 * `dir` and `gitdir` of the layout along with it.
 *
 * Everything can be read. Written are objects only: isomorphic-git heeds no lock of git's, so that refs and index are not
 * safe with it; such a write fails with `EROFS`.
 *
 * @param signal ends every further call once it fires.
 */
export function gitFileSystem(layout: RepositoryLayout, signal?: AbortSignal): PromiseFsClient {
  const router = new Router(layout);
  /** A call on the path where git's layout has what was asked for. */
  const reading =
    <Options, Result>(call: (path: string, options?: Options) => Promise<Result>) =>
    async (path: string, options?: Options): Promise<Result> => {
      signal?.throwIfAborted();
      return call(router.route(path), options);
    };
  const refused = async (path: string): Promise<never> => {
    throw readOnly(path);
  };
  const ofObjects = (path: string): string => {
    signal?.throwIfAborted();
    const routed = router.route(path);
    if (!router.isObject(routed)) throw readOnly(path);
    return routed;
  };
  return {
    promises: {
      readFile: reading(readFile),
      readdir: reading((path) => readdir(path)),
      stat: reading(stat),
      lstat: reading(lstat),
      readlink: reading(readlink),
      writeFile: async (path: string, bytes: Uint8Array) => writeObject(ofObjects(path), bytes),
      mkdir: async (path: string) => mkdir(ofObjects(path)),
      unlink: refused,
      rmdir: refused,
      symlink: async (_target: string, path: string) => refused(path),
      chmod: refused,
    },
  };
}

class Router {
  readonly #layout: RepositoryLayout;
  readonly #objects: string;
  /** Git folders as a caller may name them. */
  readonly #roots: readonly string[];

  constructor(layout: RepositoryLayout) {
    this.#layout = layout;
    this.#objects = gitPath(layout, 'objects');
    const { gitDirectory, workTree } = layout;
    this.#roots = workTree === null ? [gitDirectory] : [gitDirectory, join(workTree, '.git')];
  }

  route(path: string): string {
    const absolute = resolve(path);
    const root = this.#roots.find((one) => absolute.startsWith(one + sep));
    return root === undefined ? absolute : gitPath(this.#layout, absolute.slice(root.length + 1));
  }

  isObject(path: string): boolean {
    return path.startsWith(this.#objects + sep);
  }
}

/** Under its name it is whole, or not there; one that is there already has the same content. */
async function writeObject(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `tmp_obj_${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode: 0o444 });
    await rename(temporary, path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) await rm(temporary, { force: true });
    throw error;
  }
}

function readOnly(path: string): Error {
  return Object.assign(new Error(`EROFS: only objects are written through this file system, '${path}'`), {
    code: 'EROFS',
    path,
  });
}
