import type { ObjectId } from '@cleveragents/git-domain';
import type { WorktreeHost } from '@cleveragents/git-ports';
import type { PlanKey } from '@cleveragents/shared-kernel';

const PREFIX = 'refs/cleveragents/sandbox';

/**
 * - `base`: the target's commit that a refresh brings in.
 * - `target-before`: where the target stands when a commit of the sandbox is about to move it.
 */
export type Memory = 'base' | 'target-before';

/**
 * A process may die after it changed a sandbox and before anybody wrote down that it did. What the next one cannot see
 * from the sandbox itself is kept in refs of the sandbox's own, from before the change until the sandbox is gone.
 */
export class SandboxMemory {
  readonly #host: WorktreeHost;
  readonly #key: PlanKey;

  constructor(host: WorktreeHost, key: PlanKey) {
    this.#host = host;
    this.#key = key;
  }

  recall(memory: Memory): Promise<ObjectId | null> {
    return this.#host.readRef(this.#nameOf(memory));
  }

  async remember(memory: Memory, target: ObjectId): Promise<void> {
    const expected = await this.recall(memory);
    if (expected === target) return;
    const message = `cleveragents: ${memory}`;
    await this.#host.updateRef({ name: this.#nameOf(memory), expected, target, message });
  }

  async forget(...memories: readonly Memory[]): Promise<void> {
    for (const memory of memories) {
      const expected = await this.recall(memory);
      if (expected !== null) await this.#host.deleteRef(this.#nameOf(memory), expected);
    }
  }

  #nameOf(memory: Memory): string {
    return `${PREFIX}/${this.#key}/${memory}`;
  }
}
