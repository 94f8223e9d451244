import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { stateDirectoryPath, SystemClock } from '@cleveragents/shared-adapter-fs';
import { type Clock, hasCode, type IdGenerator, type PlanId, planKey } from '@cleveragents/shared-kernel';
import {
  type SandboxContext,
  type SandboxFacts,
  type SandboxRepairStep,
  sandboxSourceMissing,
  type SandboxState,
} from '@cleveragents/sandbox-domain';
import type { RescuedWork, SandboxFactory } from '@cleveragents/sandbox-ports';
import { FileCopySandbox } from './file-copy-sandbox.ts';
import { translating } from './file-copy/error-translation.ts';
import { inspectCopies, repairCopies } from './file-copy/inspection.ts';
import { ProjectState } from './file-copy/project-state.ts';
import { listRescues } from './file-copy/rescue.ts';

export interface FileCopySandboxFactoryOptions {
  readonly exclude?: readonly string[] | undefined;
  readonly sandboxFolder?: string | undefined;
  readonly stateFolder?: string | undefined;
  readonly lockTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: IdGenerator | undefined;
}

interface ResourcePlace {
  readonly resourceId: string;
  readonly originalPath: string;
}

/** Makes and reopens file copy sandboxes that share folders and a clock. */
export class FileCopySandboxFactory implements SandboxFactory {
  readonly strategy = 'file_copy';
  readonly #options: FileCopySandboxFactoryOptions;

  constructor(options: FileCopySandboxFactoryOptions = {}) {
    this.#options = { ...options, clock: options.clock ?? new SystemClock() };
  }

  make(resource: ResourcePlace): FileCopySandbox {
    return new FileCopySandbox({ ...this.#options, ...resource });
  }

  reopen(resource: ResourcePlace, state: SandboxState): FileCopySandbox {
    return new FileCopySandbox({ ...this.#options, ...resource, state });
  }

  async recover(originalPath: string): Promise<readonly string[]> {
    const { clock = new SystemClock(), lockTimeoutMs = 30_000 } = this.#options;
    return translating('inspect', () => this.#stateOf(originalPath).recover(clock.now(), lockTimeoutMs));
  }

  async listRescued(originalPath: string, planId: PlanId): Promise<readonly RescuedWork[]> {
    const key = planKey(planId);
    return translating('inspect', async () =>
      listRescues(this.#stateOf(originalPath).rescueFolder(key), key),
    );
  }

  async inspect(originalPath: string, known: readonly SandboxContext[]): Promise<SandboxFacts> {
    return translating('inspect', () => inspectCopies(this.#stateOf(originalPath), originalPath, known));
  }

  async repair(originalPath: string, step: SandboxRepairStep): Promise<string> {
    const { clock = new SystemClock(), lockTimeoutMs = 30_000 } = this.#options;
    return translating('inspect', () =>
      repairCopies(this.#stateOf(originalPath), { step, now: clock.now(), lockTimeoutMs }),
    );
  }

  #stateOf(originalPath: string): ProjectState {
    const { stateFolder = join(stateDirectoryPath(), 'file-copies') } = this.#options;
    return new ProjectState(stateFolder, realPathOf(originalPath));
  }
}

/** @throws SandboxError `SANDBOX_SOURCE_MISSING`. */
function realPathOf(originalPath: string): string {
  try {
    return realpathSync(originalPath);
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT', 'ENOTDIR')) throw cause;
    throw sandboxSourceMissing(originalPath, cause);
  }
}
