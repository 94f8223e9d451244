import { guardRollback, type Checkpoint } from '@cleveragents/checkpoint-domain';
import type { PlanStateGuard, SnapshotStore } from '@cleveragents/checkpoint-ports';
import type { PlanId } from '@cleveragents/shared-kernel';

/** What this process was told of plans, and behind it what their owner says. */
export class PlanStates {
  readonly #guard: PlanStateGuard | undefined;
  readonly #snapshots: SnapshotStore | undefined;
  readonly #applied = new Set<PlanId>();
  readonly #sandboxes = new Map<PlanId, string>();

  constructor(guard: PlanStateGuard | undefined, snapshots: SnapshotStore | undefined) {
    this.#guard = guard;
    this.#snapshots = snapshots;
  }

  register(planId: PlanId, sandboxPath: string): void {
    this.#sandboxes.set(planId, sandboxPath);
  }

  unregister(planId: PlanId): void {
    this.#sandboxes.delete(planId);
  }

  markApplied(planId: PlanId): void {
    this.#applied.add(planId);
  }

  /** Where the sandbox should be, whether or not it still is there. */
  async registeredPath(planId: PlanId): Promise<string | null> {
    return this.#sandboxes.get(planId) ?? (await this.#guard?.sandboxPath(planId)) ?? null;
  }

  /** `null` also for a sandbox that its plan remembers and the disk does not. */
  async sandboxPath(planId: PlanId): Promise<string | null> {
    const path = await this.registeredPath(planId);
    if (path === null || this.#snapshots === undefined) return path;
    return (await this.#snapshots.hasRoot(path)) ? path : null;
  }

  /** @throws as {@link guardRollback}. */
  async guardedSandbox(planId: PlanId, checkpoint: Checkpoint): Promise<string> {
    const isApplied = this.#applied.has(planId) || ((await this.#guard?.isApplied(planId)) ?? false);
    return guardRollback({ planId, checkpoint, isApplied, sandboxPath: await this.sandboxPath(planId) });
  }
}
