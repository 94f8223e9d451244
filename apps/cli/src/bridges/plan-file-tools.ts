import { FileChangeSetStore, type FileToolsOnDisk, openFileTools } from '@cleveragents/file-tools-adapter-fs';
import { ChangeSetCapture, registerFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import { failed, type ToolResult } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import type { ToolInvocation } from '@cleveragents/mcp-ports';
import type { CheckpointService } from '@cleveragents/checkpoint-application';
import type { PlanLifecycleService } from '@cleveragents/sandbox-application';
import type { PlanRepository } from '@cleveragents/sandbox-ports';
import type { Clock } from '@cleveragents/shared-kernel';
import { KnownWrites } from './known-writes.ts';

export interface PlanFileToolsOptions {
  readonly planId: string;
  readonly plans: Pick<PlanLifecycleService, 'execute' | 'sandboxPath' | 'show'>;
  readonly records: Pick<PlanRepository, 'listWork'>;
  readonly checkpoints: Pick<CheckpointService, 'captureCheckpoint'>;
  readonly clock: Clock;
  /** Where the change sets of plans are kept. */
  readonly changeSets: string;
  /** Take a checkpoint before each tool that writes. */
  readonly checkpointBeforeWrites: boolean;
}

/**
 * Runs file tools in the sandbox of a plan. What they write goes into its change set and its history, one call after the other,
 * so that a checkpoint holds what was there just before; reading is not written down and waits for nobody.
 */
export class PlanFileTools {
  readonly #options: PlanFileToolsOptions;
  readonly #known: KnownWrites;
  #opened: { readonly root: string; readonly files: FileToolsOnDisk } | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(options: PlanFileToolsOptions) {
    this.#options = options;
    this.#known = new KnownWrites({ ...options, now: () => performance.now() });
  }

  run(tool: AgentTool, input: unknown, { signal }: ToolInvocation): Promise<ToolResult> {
    return tool.annotations.readOnly
      ? this.#read(tool.name, input, signal)
      : this.#write(tool.name, input, signal);
  }

  async #read(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const root = await this.#options.plans.sandboxPath(this.#options.planId);
    if (root === null)
      return failed('PLAN_WITHOUT_SANDBOX', 'The plan has no sandbox any more', 'Ask for a new plan.');
    const registry = new ToolRegistry();
    registerFileTools(registry, await this.#filesAt(root));
    return registry.execute(name, input, { signal });
  }

  /** Opened once for each place that the sandbox has: to find out what a machine can do takes longer than most calls. */
  async #filesAt(root: string): Promise<FileToolsOnDisk> {
    if (this.#opened?.root !== root) this.#opened = { root, files: await openFileTools(root) };
    return this.#opened.files;
  }

  #write(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const work = (): Promise<ToolResult> => this.#writeNow(name, input, signal);
    const written = this.#lastWrite.then(work, work);
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  async #writeNow(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const { planId, plans, checkpointBeforeWrites } = this.#options;
    signal.throwIfAborted();
    const result = await plans.execute(planId, {
      label: `tool ${name}`,
      run: async ({ path }) => {
        if (checkpointBeforeWrites) await this.#checkpoint(name, signal);
        return this.#execute(path, name, input, signal);
      },
      describe: ({ success }) => ({ tool: name, success }),
    });
    if (checkpointBeforeWrites) await this.#known.remember();
    return result;
  }

  async #checkpoint(sourceTool: string, signal: AbortSignal): Promise<void> {
    const { planId, checkpoints } = this.#options;
    const changedPaths = await this.#known.changedPaths();
    const startedAt = changedPaths === undefined ? performance.now() : null;
    await checkpoints.captureCheckpoint({
      planId,
      checkpointType: 'pre_write',
      sourceTool,
      changedPaths,
      signal,
    });
    this.#known.captured(startedAt);
  }

  /** What a tool that failed has written is not known for certain. */
  async #execute(root: string, name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const { planId, clock, changeSets } = this.#options;
    const store = new FileChangeSetStore(changeSets);
    // of this call alone: what is in the store already is only added to
    const changeSet = new ChangeSetCapture({ planId, store, clock });
    const registry = new ToolRegistry();
    registerFileTools(registry, { ...(await this.#filesAt(root)), changeSet });
    let isKnown = false;
    try {
      const result = await registry.execute(name, input, { signal });
      isKnown = result.success;
      return result;
    } finally {
      if (isKnown) this.#known.wrote(changeSet.entries.map(({ path }) => path));
      else this.#known.forget();
    }
  }
}
