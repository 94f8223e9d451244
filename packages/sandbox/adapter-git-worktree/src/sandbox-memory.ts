import type { ObjectId } from '@cleveragents/git-domain';
import type { WorktreeHost } from '@cleveragents/git-ports';
import type { PlanKey } from '@cleveragents/shared-kernel';

const PREFIX = 'refs/cleveragents/sandbox';

/** A branch that a commit of the sandbox is about to move, and where it stands before. */
export interface TargetBefore {
  /** Short name. */
  readonly branch: string;
  readonly commit: ObjectId;
}

/**
 * A process may die after it changed a sandbox and before anybody wrote down that it did. What the next one cannot see
 * from the sandbox itself is kept in refs of the sandbox's own, from before the change until the sandbox is gone:
 * `<key>/base` is the target's commit that a refresh brings in, `<key>/target/<branch>` the target before an apply.
 */
export class SandboxMemory {
  readonly #host: WorktreeHost;
  readonly #base: string;
  readonly #targets: string;

  constructor(host: WorktreeHost, key: PlanKey) {
    this.#host = host;
    this.#base = `${PREFIX}/${key}/base`;
    this.#targets = `${PREFIX}/${key}/target`;
  }

  recallBase(): Promise<ObjectId | null> {
    return this.#host.readRef(this.#base);
  }

  async rememberBase(commit: ObjectId): Promise<void> {
    await this.#set(this.#base, commit);
  }

  async recallTarget(): Promise<TargetBefore | null> {
    const [ref] = await this.#host.listRefs(this.#targets);
    return ref === undefined
      ? null
      : { branch: ref.name.slice(this.#targets.length + 1), commit: ref.target };
  }

  /** In place of any other target. */
  async rememberTarget({ branch, commit }: TargetBefore): Promise<void> {
    const before = await this.recallTarget();
    if (before !== null && before.branch !== branch) await this.forgetTarget();
    await this.#set(`${this.#targets}/${branch}`, commit);
  }

  async forgetTarget(): Promise<void> {
    for (const { name, target } of await this.#host.listRefs(this.#targets))
      await this.#host.deleteRef(name, target);
  }

  async forgetAll(): Promise<void> {
    const base = await this.recallBase();
    if (base !== null) await this.#host.deleteRef(this.#base, base);
    await this.forgetTarget();
  }

  async #set(name: string, target: ObjectId): Promise<void> {
    const expected = await this.#host.readRef(name);
    if (expected === target) return;
    const message = 'cleveragents: kept until the sandbox is gone';
    await this.#host.updateRef({ name, expected, target, message });
  }
}
