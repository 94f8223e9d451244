import { ValidationError } from '@cleveragents/shared-kernel';
import type { CommitResult } from './commit-result.schema.ts';
import { type SandboxCall, type SandboxStatus, statusAfter } from './life-cycle.ts';
import type { SandboxContext } from './sandbox-context.schema.ts';
import type { SandboxState } from './sandbox-state.schema.ts';

export interface SandboxBeginning {
  readonly resourceId: string;
  readonly originalPath: string;
  /** Where an earlier instance left the sandbox; `pending` when it is left out. */
  readonly state?: SandboxState | undefined;
  /** Asked for the id of a new one. */
  readonly newId: () => string;
}

/**
 * What every sandbox is, whatever its strategy: where it stands in its life, and where each step of it leads. A strategy does
 * the work of a step first; a step that failed was not taken.
 */
export abstract class SandboxLife {
  protected readonly resourceId: string;
  protected readonly originalPath: string;
  #state: SandboxState;

  /** @throws ValidationError `resource_id cannot be empty`, `original_path cannot be empty`. */
  constructor({ resourceId, originalPath, state, newId }: SandboxBeginning) {
    if (resourceId === '') throw new ValidationError('resource_id cannot be empty');
    if (originalPath === '') throw new ValidationError('original_path cannot be empty');
    this.resourceId = resourceId;
    this.originalPath = originalPath;
    this.#state = state ?? { status: 'pending', sandboxId: newId() };
  }

  get sandboxId(): string {
    return this.#state.sandboxId;
  }

  get status(): SandboxStatus {
    return this.#state.status;
  }

  get context(): SandboxContext | null {
    return this.#state.status === 'pending' ? null : this.#state.context;
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** @throws SandboxStateError. */
  protected assertAllowed(call: SandboxCall): void {
    statusAfter(this.status, call);
  }

  protected existingContext(): SandboxContext {
    if (this.context === null) throw new Error(`a sandbox that is ${this.status} has no context`);
    return this.context;
  }

  protected becomeCreated(context: SandboxContext): void {
    this.#state = { status: 'created', sandboxId: this.sandboxId, context };
  }

  protected becomeActive(context = this.existingContext()): void {
    this.#state = { status: 'active', sandboxId: this.sandboxId, context };
  }

  protected becomeCommitted(result: CommitResult): void {
    this.#state = {
      status: 'committed',
      sandboxId: this.sandboxId,
      context: this.existingContext(),
      result,
    };
  }

  /** @param rescuedTo what keeps the work that was discarded. */
  protected becomeRolledBack(rescuedTo: string | null): void {
    this.#state = {
      status: 'rolled_back',
      sandboxId: this.sandboxId,
      context: this.existingContext(),
      rescueRefs: rescuedTo === null ? [] : [rescuedTo],
    };
  }

  protected becomeCleanedUp(rescuedTo: string | null): void {
    this.#state = {
      status: 'cleaned_up',
      sandboxId: this.sandboxId,
      context: this.context,
      rescueRefs: rescuedTo === null ? [] : [rescuedTo],
    };
  }

  /** Says more of the sandbox than was known when it was created. */
  protected replaceContext(context: SandboxContext): void {
    if (this.#state.status !== 'pending') this.#state = { ...this.#state, context };
  }
}
