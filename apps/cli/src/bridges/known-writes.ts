import type { PlanLifecycleService } from '@cleveragents/sandbox-application';
import type { PlanRepository } from '@cleveragents/sandbox-ports';
import { parsePlanId } from '@cleveragents/shared-kernel';

export interface SandboxActivity {
  readonly planId: string;
  readonly plans: Pick<PlanLifecycleService, 'show'>;
  readonly records: Pick<PlanRepository, 'listWork'>;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Whoever writes in a sandbox without a word to its plan, an editor for instance, is noticed at the latest after that. */
const WHOLE_LOOK_AFTER_MS = 10_000;

/**
 * What the file tools of this process wrote in a sandbox since its last checkpoint: all that a checkpoint has to look at, as long
 * as nobody else works there. Another command in the plan, a tool that failed halfway, or ten seconds without a look at
 * everything, and the next checkpoint looks at everything.
 */
export class KnownWrites {
  readonly #activity: SandboxActivity;
  #paths: Set<string> | null = null;
  /** How many events the plan's history had when our last work was written down. */
  #eventsSeen = -1;
  #eventsBefore = -1;
  #lookedAt = 0;

  constructor(activity: SandboxActivity) {
    this.#activity = activity;
  }

  /** Inside our own work. `undefined`: anything may have changed. */
  async changedPaths(): Promise<readonly string[] | undefined> {
    const { planId, records, now } = this.#activity;
    this.#eventsBefore = await this.#countEvents();
    if (this.#paths === null || now() - this.#lookedAt > WHOLE_LOOK_AFTER_MS) return undefined;
    const isAlone = (await records.listWork(parsePlanId(planId))).length <= 1;
    return isAlone && this.#eventsBefore === this.#eventsSeen ? [...this.#paths] : undefined;
  }

  /** A checkpoint was taken; `startedAt` is when it began to look, where it looked at everything. */
  captured(startedAt: number | null): void {
    this.#paths = new Set();
    if (startedAt !== null) this.#lookedAt = startedAt;
  }

  wrote(paths: Iterable<string>): void {
    for (const path of paths) this.#paths?.add(path);
  }

  forget(): void {
    this.#paths = null;
  }

  /** Our own work is written down, as one event; any other that came meanwhile is somebody else's work. */
  async remember(): Promise<void> {
    this.#eventsSeen = await this.#countEvents();
    if (this.#eventsSeen !== this.#eventsBefore + 1) this.forget();
  }

  async #countEvents(): Promise<number> {
    return (await this.#activity.plans.show(this.#activity.planId)).history.length;
  }
}
