import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import {
  GitWorktreeSandbox,
  type GitWorktreeSandboxOptions,
} from '@cleveragents/sandbox-adapter-git-worktree';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import {
  createRepository,
  expectUnchanged,
  type Files,
  FixedClock,
  temporaryDirectory,
  TemporaryRepository,
} from '@cleveragents/shared-testing';

export const FILES: Files = {
  'README.md': 'read me\n',
  'src/main.ts': 'export const main = 1;\n',
  'src/other.ts': 'export const other = 1;\n',
  '.gitignore': '*.log\nnode_modules/\n',
};

/** A real repository with a real sandbox in it, and the installed git as judge. */
export class SandboxBench {
  readonly repository: TemporaryRepository;
  readonly folder: string;
  readonly clock = new FixedClock('2026-04-09T17:30:00Z');

  constructor(repository: TemporaryRepository) {
    this.repository = repository;
    this.folder = temporaryDirectory().path;
  }

  make(options: Partial<GitWorktreeSandboxOptions> = {}): GitWorktreeSandbox {
    return new GitWorktreeSandbox({
      resourceId: 'app',
      originalPath: this.repository.root,
      sandboxFolder: this.folder,
      clock: this.clock,
      ...options,
    });
  }

  /** The sandbox again, as another process would open it. */
  reopen(sandbox: Sandbox): GitWorktreeSandbox {
    return this.make({ state: JSON.parse(JSON.stringify(sandbox.state)) });
  }

  async active(planId = 'plan-1', options: Partial<GitWorktreeSandboxOptions> = {}): Promise<ActiveSandbox> {
    const sandbox = this.make(options);
    const { sandboxPath } = await sandbox.create(planId);
    await sandbox.getPath('.');
    return new ActiveSandbox(sandbox, sandboxPath);
  }

  read(path: string): string | null {
    return readOrNull(join(this.repository.root, path));
  }

  /** Status lines of the original as `git status --porcelain` has them; empty when clean. */
  async status(): Promise<readonly string[]> {
    return (await this.repository.status()).map(({ state, path }) => `${state} ${path}`);
  }

  /** What real git says of the whole repository after a step: sound, and no work tree left to prune. */
  async expectGitAgrees({ worktrees }: { readonly worktrees: number }): Promise<void> {
    await this.repository.fsck();
    expect(await this.repository.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
    expect(await this.repository.worktrees()).toHaveLength(worktrees);
  }

  /** Runs a call that must be refused, and holds every byte of the repository against what it was before. */
  async expectRefused(
    call: () => Promise<unknown>,
    code: string,
  ): Promise<Error & { data: Record<string, unknown> }> {
    const leaveOut = ['.git/cleveragents', ...this.#privateFiles()];
    const before = await this.repository.snapshot({ leaveOut, allowNewObjects: true });
    let refusal: unknown;
    try {
      await call();
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code, hint: expect.stringMatching(/\w/) });
    expectUnchanged(before, await this.repository.snapshot({ leaveOut, allowNewObjects: true }));
    return refusal as Error & { data: Record<string, unknown> };
  }

  /** What we note for ourselves in the admin folders of worktrees; no tool of git's reads it. */
  #privateFiles(): readonly string[] {
    const worktrees = join(this.repository.root, '.git/worktrees');
    if (!existsSync(worktrees)) return [];
    return readdirSync(worktrees).map((name) => `.git/worktrees/${name}/cleveragents-stat-cache.json`);
  }
}

export class ActiveSandbox {
  readonly sandbox: GitWorktreeSandbox;
  readonly path: string;
  readonly repository: TemporaryRepository;

  constructor(sandbox: GitWorktreeSandbox, path: string) {
    this.sandbox = sandbox;
    this.path = path;
    this.repository = new TemporaryRepository(path);
  }

  write(path: string, content: string | Uint8Array, mode?: number): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), content, mode === undefined ? {} : { mode });
  }

  link(path: string, target: string): void {
    symlinkSync(target, join(this.path, path));
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true });
  }

  read(path: string): string | null {
    return readOrNull(join(this.path, path));
  }
}

export async function openBench(files: Files = FILES): Promise<SandboxBench> {
  return new SandboxBench(await createRepository({ files }));
}

function readOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
