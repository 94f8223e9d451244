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
  #history = '';
  #lookedAt = 0;

  constructor(activity: SandboxActivity) {
    this.#activity = activity;
  }

  /** Inside our own work. `undefined`: anything may have changed. */
  async changedPaths(): Promise<readonly string[] | undefined> {
    const { planId, records, now } = this.#activity;
    if (this.#paths === null || now() - this.#lookedAt > WHOLE_LOOK_AFTER_MS) return undefined;
    const isAlone = (await records.listWork(parsePlanId(planId))).length <= 1;
    return isAlone && (await this.#historyNow()) === this.#history ? [...this.#paths] : undefined;
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

  /** Our own work is written down: what comes after this in the plan's history is not ours. */
  async remember(): Promise<void> {
    if (this.#paths !== null) this.#history = await this.#historyNow();
  }

  async #historyNow(): Promise<string> {
    const { history } = await this.#activity.plans.show(this.#activity.planId);
    return `${history.length} ${JSON.stringify(history.at(-1))}`;
  }
}
