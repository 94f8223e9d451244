import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GitSnapshotStore } from '@cleveragents/checkpoint-adapter-git-snapshot';
import { hasCode } from '@cleveragents/shared-kernel';
import { createRepository, type TemporaryRepository, temporaryDirectory } from '@cleveragents/shared-testing';
import type { SandboxFiles } from '../driver.ts';
import type { Sandboxes } from './composed-driver.ts';

/** Sandboxes are work trees of real repositories. */
export class SandboxesOnDisk implements Sandboxes {
  readonly #directory = temporaryDirectory('cleveragents-features-');
  readonly #repositories: TemporaryRepository[] = [];
  readonly snapshots = new GitSnapshotStore({
    path: join(this.#directory.path, 'checkpoints.git'),
    durability: 'process',
  });

  async make(): Promise<SandboxFiles> {
    const repository = await createRepository();
    this.#repositories.push(repository);
    const { root } = repository;
    return {
      root,
      write: async (path, content) => {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      },
      read: (path) => readIfThere(join(root, path)),
      ignore: async (paths) => {
        await mkdir(join(root, '.git', 'info'), { recursive: true });
        await writeFile(join(root, '.git', 'info', 'exclude'), paths.map((path) => `/${path}\n`).join(''));
      },
      empty: async () => {
        for (const name of await readdir(root))
          if (name !== '.git') await rm(join(root, name), { recursive: true });
      },
    };
  }

  async close(): Promise<void> {
    for (const repository of this.#repositories) await repository[Symbol.asyncDispose]();
    await this.#directory.remove();
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
