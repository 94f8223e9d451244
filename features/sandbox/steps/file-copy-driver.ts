import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileCopySandbox } from '@cleveragents/sandbox-adapter-fs';
import type { SandboxContext, SandboxStatus } from '@cleveragents/sandbox-domain';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import { temporaryDirectory, type TemporaryDirectory } from '@cleveragents/shared-testing';
import type { SandboxDriver, Setup } from './sandbox-driver.ts';

/** Real folders that are no repositories. */
export class FileCopyDriver implements SandboxDriver {
  readonly strategy = 'file_copy';
  readonly codeForUsersWork = 'SANDBOX_MERGE_CONFLICT';
  readonly #folder: TemporaryDirectory = temporaryDirectory();
  readonly #root = join(this.#folder.path, 'project');
  readonly #sandboxes = join(this.#folder.path, 'sandboxes');

  async makeProject(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) write(join(this.#root, path), text);
  }

  async makePlainDirectory(): Promise<string> {
    return this.#root;
  }

  setUp({ resourceId = 'app', originalPath = this.#root }: Setup = {}): Sandbox {
    const stateFolder = join(this.#folder.path, 'state');
    return new FileCopySandbox({ resourceId, originalPath, sandboxFolder: this.#sandboxes, stateFolder });
  }

  async readProject(path: string): Promise<string | null> {
    return readOrNull(join(this.#root, path));
  }

  async writeProject(path: string, text: string): Promise<void> {
    write(join(this.#root, path), text);
  }

  async readSandbox({ sandboxPath }: SandboxContext, path: string): Promise<string | null> {
    return readOrNull(join(sandboxPath, path));
  }

  async writeSandbox({ sandboxPath }: SandboxContext, path: string, text: string): Promise<void> {
    write(join(sandboxPath, path), text);
  }

  async folderExists({ sandboxPath }: SandboxContext): Promise<boolean> {
    return existsSync(sandboxPath);
  }

  async branchExists(): Promise<boolean> {
    return false;
  }

  async gitTakesBranch(): Promise<boolean> {
    throw new Error('a copy has no branch: tag the scenario @git');
  }

  /** Nothing of ours lies in the project, and no copy without a sandbox. */
  async verify(status: SandboxStatus): Promise<void> {
    const copies = existsSync(this.#sandboxes) ? readdirSync(this.#sandboxes) : [];
    assert.equal(copies.length, status === 'cleaned_up' || status === 'pending' ? 0 : 1);
    if (existsSync(this.#root))
      assert.deepEqual(
        readdirSync(this.#root).filter((name) => name.startsWith('.cleveragents')),
        [],
      );
  }

  async close(): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function readOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
