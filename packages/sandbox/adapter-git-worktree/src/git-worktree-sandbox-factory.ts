import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { GitEngine, WorktreeHost } from '@cleveragents/git-ports';
import { SystemClock } from '@cleveragents/shared-adapter-fs';
import { type Clock, hasCode, type IdGenerator, type PlanId, planKey } from '@cleveragents/shared-kernel';
import {
  RESCUE_PREFIX,
  rescueTime,
  type SandboxContext,
  type SandboxFacts,
  type SandboxRepairStep,
  sandboxSourceMissing,
  type SandboxState,
} from '@cleveragents/sandbox-domain';
import type { RescuedWork, SandboxFactory } from '@cleveragents/sandbox-ports';
import { engineOf } from './default-engine.ts';
import type { EngineChoice } from './engine-choice.ts';
import { translating } from './error-translation.ts';
import { GitWorktreeSandbox } from './git-worktree-sandbox.ts';
import { inspectSandboxes } from './inspection.ts';
import { repairSandboxes } from './repair.ts';
import { dropExpiredRescues } from './rescue.ts';

export interface GitWorktreeSandboxFactoryOptions {
  readonly gitTimeout?: number | undefined;
  readonly sandboxFolder?: string | undefined;
  /** Default `auto`: the isomorphic engine unless that refuses the repository and git 2.38 or later is installed. */
  readonly engine?: GitEngine | EngineChoice | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
}

interface ResourcePlace {
  readonly resourceId: string;
  readonly originalPath: string;
}

/** Makes and reopens git worktree sandboxes that share an engine, a clock and a folder. */
export class GitWorktreeSandboxFactory implements SandboxFactory {
  readonly strategy = 'git_worktree';
  readonly #options: GitWorktreeSandboxFactoryOptions;
  readonly #engine: GitEngine;
  readonly #clock: Clock;

  constructor(options: GitWorktreeSandboxFactoryOptions = {}) {
    this.#engine = engineOf(options.engine);
    this.#clock = options.clock ?? new SystemClock();
    this.#options = { ...options, engine: this.#engine, clock: this.#clock };
  }

  make(resource: ResourcePlace): GitWorktreeSandbox {
    return new GitWorktreeSandbox({ ...this.#options, ...resource });
  }

  reopen(resource: ResourcePlace, state: SandboxState): GitWorktreeSandbox {
    return new GitWorktreeSandbox({ ...this.#options, ...resource, state });
  }

  async recover(originalPath: string): Promise<readonly string[]> {
    return translating('inspect', async () => {
      const host = await this.#hostOf(originalPath);
      const { actions } = await host.recover();
      await dropExpiredRescues(host, this.#clock.now());
      return actions.map(({ detail }) => detail);
    });
  }

  async inspect(originalPath: string, known: readonly SandboxContext[]): Promise<SandboxFacts> {
    return translating('inspect', async () => {
      const host = await this.#hostOf(originalPath);
      return inspectSandboxes(host, known, this.#options.sandboxFolder ?? tmpdir());
    });
  }

  async repair(originalPath: string, step: SandboxRepairStep): Promise<string> {
    return translating('cleanup', async () => {
      const host = await this.#hostOf(originalPath);
      return repairSandboxes(host, this.#clock, step);
    });
  }

  async listRescued(originalPath: string, planId: PlanId): Promise<readonly RescuedWork[]> {
    return translating('inspect', async () => {
      const host = await this.#hostOf(originalPath);
      const refs = await host.listRefs(`${RESCUE_PREFIX}/${planKey(planId)}`);
      return refs
        .flatMap(({ name, target }) => {
          const at = rescueTime(name);
          return at === null ? [] : [{ ref: name, commit: target, at: at.toISOString() }];
        })
        .sort((a, b) => (a.at < b.at ? 1 : -1));
    });
  }

  async #hostOf(originalPath: string): Promise<WorktreeHost> {
    const path = await realpath(originalPath).catch((cause: unknown) => {
      if (!hasCode(cause, 'ENOENT', 'ENOTDIR')) throw cause;
      throw sandboxSourceMissing(originalPath, cause);
    });
    return this.#engine.open(path);
  }
}
