import { FileChangeSetStore, openFileTools } from '@cleveragents/file-tools-adapter-fs';
import { ChangeSetCapture, registerFileTools, ToolRegistry } from '@cleveragents/file-tools-application';
import { failed, type ToolResult } from '@cleveragents/file-tools-domain';
import type { AgentTool } from '@cleveragents/file-tools-ports';
import type { ToolInvocation } from '@cleveragents/mcp-ports';
import type { CheckpointService } from '@cleveragents/checkpoint-application';
import type { PlanLifecycleService } from '@cleveragents/sandbox-application';
import type { Clock } from '@cleveragents/shared-kernel';

export interface PlanFileToolsOptions {
  readonly planId: string;
  readonly plans: Pick<PlanLifecycleService, 'execute' | 'sandboxPath'>;
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
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(options: PlanFileToolsOptions) {
    this.#options = options;
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
    registerFileTools(registry, await openFileTools(root));
    return registry.execute(name, input, { signal });
  }

  #write(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const work = (): Promise<ToolResult> => this.#writeNow(name, input, signal);
    const written = this.#lastWrite.then(work, work);
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  #writeNow(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const { planId, plans, checkpoints, checkpointBeforeWrites } = this.#options;
    signal.throwIfAborted();
    return plans.execute(planId, {
      label: `tool ${name}`,
      run: async ({ path }) => {
        if (checkpointBeforeWrites)
          await checkpoints.captureCheckpoint({ planId, checkpointType: 'pre_write', sourceTool: name });
        return (await this.#capturing(path)).execute(name, input, { signal });
      },
      describe: ({ success }) => ({ tool: name, success }),
    });
  }

  async #capturing(root: string): Promise<ToolRegistry> {
    const { planId, clock, changeSets } = this.#options;
    const store = new FileChangeSetStore(changeSets);
    const changeSet = await ChangeSetCapture.resume({ planId, store, clock });
    const registry = new ToolRegistry();
    registerFileTools(registry, { ...(await openFileTools(root)), changeSet });
    return registry;
  }
}
