import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RootedFileSystem } from '@cleveragents/shared-kernel';
import { hasCode } from '@cleveragents/shared-kernel';
import type { RootedWorld } from '@cleveragents/shared-kernel/contract';

/** The world that the contract of `RootedFileSystem` asks for, in a temporary directory. */
export class DiskRootedWorld implements RootedWorld {
  readonly #place: string;
  readonly files: RootedFileSystem;

  constructor(place: string, files: RootedFileSystem) {
    this.#place = place;
    this.files = files;
  }

  /** @param open opens the port on a directory: an adapter is what is tested, so it is not chosen here */
  static async open(open: (root: string) => Promise<RootedFileSystem>): Promise<DiskRootedWorld> {
    const place = await realpath(await mkdtemp(join(tmpdir(), 'cleveragents-rooted-')));
    await mkdir(join(place, 'sandbox'));
    return new DiskRootedWorld(place, await open(join(place, 'sandbox')));
  }

  async remove(): Promise<void> {
    await rm(this.#place, { recursive: true, force: true });
  }

  absolute(path: string): string {
    return join(this.#place, path);
  }

  async plantFile(path: string, contents: string | Uint8Array, mode = 0o644): Promise<void> {
    await writeFile(await this.#withParent(path), contents);
    await chmod(this.absolute(path), mode);
  }

  async plantDirectory(path: string): Promise<void> {
    await mkdir(this.absolute(path), { recursive: true });
  }

  async plantLink(path: string, target: string): Promise<void> {
    await symlink(target, await this.#withParent(path));
  }

  async plantHardLink(path: string, existing: string): Promise<void> {
    await link(this.absolute(existing), await this.#withParent(path));
  }

  async plantFifo(path: string): Promise<void> {
    execFileSync('mkfifo', [await this.#withParent(path)]);
  }

  async contents(path: string): Promise<string | undefined> {
    try {
      const stats = await lstat(this.absolute(path));
      return stats.isSymbolicLink()
        ? await readlink(this.absolute(path))
        : await readFile(this.absolute(path), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'EISDIR')) return undefined;
      throw error;
    }
  }

  async mode(path: string): Promise<number> {
    return (await lstat(this.absolute(path))).mode & 0o7777;
  }

  async names(path: string): Promise<readonly string[]> {
    return (await readdir(this.absolute(path))).sort();
  }

  /** As `names`, for a harness that must not wait. */
  namesNow(path: string): readonly string[] {
    return readdirSync(this.absolute(path));
  }

  async clear(path: string): Promise<void> {
    await rm(this.absolute(path), { recursive: true, force: true });
  }

  async #withParent(path: string): Promise<string> {
    await this.plantDirectory(dirname(path));
    return this.absolute(path);
  }
}
