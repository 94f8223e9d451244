import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  GitSnapshotStore,
  type GitSnapshotStoreOptions,
} from '@cleveragents/checkpoint-adapter-git-snapshot';
import type { SnapshotStoreSubject, SnapshotWorkspace } from '@cleveragents/checkpoint-ports/contract';
import { temporaryDirectory } from '@cleveragents/shared-testing';

export interface DiskSubject extends SnapshotStoreSubject {
  readonly store: GitSnapshotStore;
  readonly workspace: DiskWorkspace;
  readonly storePath: string;
  /** The same store through another instance, as another process would have it. */
  reopen(options?: Partial<GitSnapshotStoreOptions>): GitSnapshotStore;
  close(): Promise<void>;
}

/** A store and a tree in a temporary folder. Nothing of this machine's git settings is seen. */
export async function diskSubject(options: Partial<GitSnapshotStoreOptions> = {}): Promise<DiskSubject> {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
  process.env['XDG_CONFIG_HOME'] = '/dev/null';
  const directory = temporaryDirectory('cleveragents-snapshots-');
  const storePath = join(directory.path, 'store.git');
  const workspace = new DiskWorkspace(join(directory.path, 'tree'));
  await mkdir(join(workspace.root, '.git', 'info'), { recursive: true });
  const reopen = (more: Partial<GitSnapshotStoreOptions> = {}): GitSnapshotStore =>
    new GitSnapshotStore({ path: storePath, durability: 'process', ...options, ...more });
  return { store: reopen(), workspace, storePath, reopen, close: () => directory.remove() };
}

export class DiskWorkspace implements SnapshotWorkspace {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  path(path: string): string {
    return join(this.root, path);
  }

  async write(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
    await this.#makeRoomFor(path, { keepFile: true });
    await writeFile(this.path(path), content);
    await chmod(this.path(path), mode);
  }

  async makeDirectory(path: string, mode = 0o755): Promise<void> {
    const status = await lstat(this.path(path)).catch(() => undefined);
    if (status?.isDirectory() !== true) await this.#makeRoomFor(path);
    await mkdir(this.path(path), { recursive: true });
    await chmod(this.path(path), mode);
  }

  async makeLink(path: string, target: string): Promise<void> {
    await this.#makeRoomFor(path);
    await symlink(target, this.path(path));
  }

  async remove(path: string): Promise<void> {
    // Below a file there is nothing to remove.
    if ((await lstat(this.path(path)).catch(() => undefined)) === undefined) return;
    await rm(this.path(path), { recursive: true });
  }

  async changeMode(path: string, mode: number): Promise<void> {
    await chmod(this.path(path), mode);
  }

  async ignore(paths: readonly string[]): Promise<void> {
    const lines = paths.map((path) => `/${path}\n`).join('');
    await writeFile(this.path('.git/info/exclude'), lines);
  }

  async describe(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    const visit = async (directory: string): Promise<void> => {
      for (const name of await readdir(this.path(directory))) {
        const path = directory === '' ? name : `${directory}/${name}`;
        if (path === '.git') continue;
        const status = await lstat(this.path(path));
        const mode = (status.mode & 0o7777).toString(8);
        if (status.isSymbolicLink()) found[path] = `link ${await readlink(this.path(path))}`;
        else if (status.isDirectory()) {
          found[path] = `directory ${mode}`;
          await visit(path);
        } else found[path] = `file ${mode} ${await readFile(this.path(path), 'utf8')}`;
      }
    };
    await visit('');
    return found;
  }

  async #makeRoomFor(path: string, { keepFile = false } = {}): Promise<void> {
    for (const parent of parentsOf(path)) {
      const found = await lstat(this.path(parent)).catch(() => undefined);
      if (found !== undefined && !found.isDirectory()) await rm(this.path(parent));
    }
    const status = await lstat(this.path(path)).catch(() => undefined);
    if (!keepFile || status?.isFile() !== true) await rm(this.path(path), { recursive: true, force: true });
    await mkdir(dirname(this.path(path)), { recursive: true, mode: 0o755 });
  }
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}
