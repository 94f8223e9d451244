import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GitWorktreeSandbox } from '@cleveragents/sandbox-adapter-git-worktree';
import type { SandboxContext, SandboxStatus } from '@cleveragents/sandbox-domain';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import {
  createRepository,
  temporaryDirectory,
  type TemporaryDirectory,
  type TemporaryRepository,
} from '@cleveragents/shared-testing';
import type { SandboxDriver, Setup } from './sandbox-driver.ts';

/** Real repositories, with the installed git as judge after every step. */
export class GitWorktreeDriver implements SandboxDriver {
  readonly strategy = 'git_worktree';
  readonly codeForUsersWork = 'SANDBOX_TARGET_DIRTY';
  readonly #folders: TemporaryDirectory[] = [];
  #repository: TemporaryRepository | undefined;

  async makeProject(files: Readonly<Record<string, string>>): Promise<void> {
    this.#repository = await createRepository({ files });
  }

  async makePlainDirectory(): Promise<string> {
    return this.#newFolder();
  }

  setUp({ resourceId = 'app', originalPath = this.#root, gitTimeout = 30 }: Setup = {}): Sandbox {
    return new GitWorktreeSandbox({ resourceId, originalPath, gitTimeout, sandboxFolder: this.#newFolder() });
  }

  async readProject(path: string): Promise<string | null> {
    return readOrNull(join(this.#root, path));
  }

  async writeProject(path: string, text: string): Promise<void> {
    writeFileSync(join(this.#root, path), text);
  }

  async readSandbox({ sandboxPath }: SandboxContext, path: string): Promise<string | null> {
    return readOrNull(join(sandboxPath, path));
  }

  async writeSandbox({ sandboxPath }: SandboxContext, path: string, text: string): Promise<void> {
    mkdirSync(dirname(join(sandboxPath, path)), { recursive: true });
    writeFileSync(join(sandboxPath, path), text);
  }

  async folderExists({ sandboxPath }: SandboxContext): Promise<boolean> {
    return existsSync(sandboxPath);
  }

  async branchExists(context: SandboxContext): Promise<boolean> {
    return (await this.#git('for-each-ref', `refs/heads/${branchOf(context)}`)) !== '';
  }

  async gitTakesBranch(context: SandboxContext): Promise<boolean> {
    return (await this.#git('check-ref-format', '--branch', branchOf(context))).trim() === branchOf(context);
  }

  async verify(status: SandboxStatus): Promise<void> {
    await this.#repository?.fsck();
    const worktrees = (await this.#git('worktree', 'list', '--porcelain')).match(/^worktree /gm)?.length;
    if (status === 'cleaned_up' || status === 'pending') assert.equal(worktrees, 1);
    else assert.equal(worktrees, 2);
    assert.equal(await this.#git('worktree', 'prune', '--dry-run', '--verbose'), '');
  }

  async close(): Promise<void> {
    await this.#repository?.[Symbol.asyncDispose]();
    for (const folder of this.#folders) await folder[Symbol.asyncDispose]();
  }

  get #root(): string {
    if (this.#repository === undefined) throw new Error('no project was made');
    return this.#repository.root;
  }

  #newFolder(): string {
    const folder = temporaryDirectory();
    this.#folders.push(folder);
    return folder.path;
  }

  async #git(...args: readonly string[]): Promise<string> {
    if (this.#repository === undefined) throw new Error('no project was made');
    return this.#repository.git(...args);
  }
}

function branchOf({ metadata }: SandboxContext): string {
  assert.equal(metadata.strategy, 'git_worktree');
  return metadata.strategy === 'git_worktree' ? metadata.branch : '';
}

function readOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
