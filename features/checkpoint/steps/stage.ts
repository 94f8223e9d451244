import assert from 'node:assert/strict';
import type { CorrectionResult } from '@cleveragents/checkpoint-application';
import type {
  Checkpoint,
  CheckpointType,
  RetentionPolicy,
  RollbackResult,
} from '@cleveragents/checkpoint-domain';
import { parsePlanId } from '@cleveragents/shared-kernel';
import type { CheckpointDriver, SandboxFiles } from '../driver.ts';

export interface CheckpointWish {
  readonly planId?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly sourceTool?: string;
  readonly phase?: string;
  readonly decisionId?: string;
  readonly checkpointType?: string;
  readonly resourceId?: string;
  readonly filesystemPath?: string;
  readonly sizeBytes?: number;
  readonly retentionPolicy?: RetentionPolicy;
}

export const SOME_PLAN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** One scenario as it unfolds on one driver: what was made, what came back, what was refused. */
export class Stage {
  readonly driver: CheckpointDriver;
  readonly sandboxes = new Map<string, SandboxFiles>();
  readonly contentAt = new Map<string, string>();
  /** In the order of recording. */
  readonly made: Checkpoint[] = [];
  readonly #stateOfRef = new Map<string, string>();
  checkpoint: Pick<Checkpoint, 'planId' | 'sandboxRef' | 'metadata'> | undefined;
  found: Checkpoint | undefined;
  pruned: readonly Checkpoint[] = [];
  freedBytes = 0;
  policy: RetentionPolicy | undefined;
  rollback: RollbackResult | undefined;
  correction: CorrectionResult | undefined;
  refusal: unknown;

  constructor(driver: CheckpointDriver) {
    this.driver = driver;
  }

  /** The one that the scenario speaks of as "it". */
  get it(): Checkpoint {
    const last = this.made.at(-1);
    assert.ok(last, 'no checkpoint was recorded');
    return last;
  }

  get result(): RollbackResult {
    if (this.rollback === undefined) throw this.refusal;
    return this.rollback;
  }

  sandbox(planId: string): SandboxFiles {
    const sandbox = this.sandboxes.get(planId);
    assert.ok(sandbox, `plan ${planId} has no sandbox`);
    return sandbox;
  }

  async makeSandbox(planId: string): Promise<SandboxFiles> {
    const sandbox = await this.driver.makeSandbox();
    this.sandboxes.set(planId, sandbox);
    return sandbox;
  }

  /** What was refused is looked at by a later step; what a scenario does not expect to be refused fails there. */
  async attempt<Result>(work: () => Promise<Result> | Result): Promise<Result | undefined> {
    this.refusal = undefined;
    try {
      return await work();
    } catch (error) {
      this.refusal = error;
      return undefined;
    }
  }

  /** A state is what the plan's sandbox holds at this moment, or a mere name when there is no sandbox. */
  async record({ planId = SOME_PLAN, state = 'some state', ...wish }: CheckpointWish = {}): Promise<void> {
    const sandbox = this.sandboxes.get(planId);
    const sandboxRef = sandbox && state !== '' ? await this.driver.captureState(sandbox) : state;
    this.#stateOfRef.set(sandboxRef, state);
    const recorded = await this.driver.service.createCheckpoint({
      ...wish,
      planId,
      sandboxRef,
      checkpointType: wish.checkpointType as CheckpointType | undefined,
    });
    this.made.push(recorded.checkpoint);
    this.checkpoint = recorded.checkpoint;
    this.pruned = recorded.pruned;
  }

  async capture(planId: string, decisionId?: string): Promise<void> {
    const captured = await this.driver.service.captureCheckpoint({ planId, decisionId });
    this.made.push(captured.checkpoint);
    this.checkpoint = captured.checkpoint;
  }

  stateOf({ sandboxRef }: Pick<Checkpoint, 'sandboxRef'>): string {
    return this.#stateOfRef.get(sandboxRef) ?? sandboxRef;
  }

  async remaining(planId: string = this.it.planId): Promise<readonly string[]> {
    const listed = await this.driver.service.listCheckpoints(parsePlanId(planId));
    return listed.map(({ checkpointId }) => checkpointId);
  }
}
