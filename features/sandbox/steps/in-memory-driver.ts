import type { SandboxContext } from '@cleveragents/sandbox-domain';
import type { Sandbox } from '@cleveragents/sandbox-ports';
import { FixedClock, InMemoryProjects, InMemorySandbox, SeededIds } from '@cleveragents/shared-testing';
import type { SandboxDriver, Setup } from './sandbox-driver.ts';

const PROJECT = '/projects/app';

/** Sandboxes over maps: milliseconds for all scenarios. */
export class InMemoryDriver implements SandboxDriver {
  readonly strategy = 'file_copy';
  readonly codeForUsersWork = 'SANDBOX_TARGET_DIRTY';
  readonly #projects = new InMemoryProjects();
  readonly #parts = { projects: this.#projects, clock: new FixedClock(), ids: new SeededIds() };

  async makeProject(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) this.#projects.at(PROJECT).set(path, text);
  }

  async makePlainDirectory(): Promise<string> {
    throw new Error('a sandbox in memory is no git worktree: tag the scenario @git');
  }

  setUp({ resourceId = 'app', originalPath = PROJECT }: Setup = {}): Sandbox {
    return new InMemorySandbox({ ...this.#parts, resourceId, originalPath });
  }

  async readProject(path: string): Promise<string | null> {
    return this.#projects.at(PROJECT).get(path) ?? null;
  }

  async writeProject(path: string, text: string): Promise<void> {
    this.#projects.at(PROJECT).set(path, text);
  }

  async readSandbox({ sandboxPath }: SandboxContext, path: string): Promise<string | null> {
    return this.#projects.directories.get(sandboxPath)?.get(path) ?? null;
  }

  async writeSandbox({ sandboxPath }: SandboxContext, path: string, text: string): Promise<void> {
    this.#projects.at(sandboxPath).set(path, text);
  }

  async folderExists({ sandboxPath }: SandboxContext): Promise<boolean> {
    return this.#projects.directories.has(sandboxPath);
  }

  async branchExists(): Promise<boolean> {
    return false;
  }

  async gitTakesBranch(): Promise<boolean> {
    throw new Error('a sandbox in memory has no branch: tag the scenario @git');
  }

  async verify(): Promise<void> {
    // nothing outside the maps could disagree
  }

  async close(): Promise<void> {
    this.#projects.directories.clear();
  }
}
