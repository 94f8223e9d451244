import { InMemoryPlanStateGuard } from '@cleveragents/checkpoint-adapter-memory';
import { CheckpointService, CorrectionService } from '@cleveragents/checkpoint-application';
import type { CheckpointRepository, CorrectionLog, SnapshotStore } from '@cleveragents/checkpoint-ports';
import type { CheckpointDriver, SandboxFiles } from '../driver.ts';

/** Where a driver keeps its records. */
export interface Records {
  readonly repository: CheckpointRepository;
  readonly audit: CorrectionLog;
  addEntryWithoutCheckpoint(planId: string): Promise<void>;
  loseEntries(planId: string): Promise<void>;
  close(): Promise<void>;
}

/** Where a driver's sandboxes lie, and what takes snapshots of them. */
export interface Sandboxes {
  readonly snapshots: SnapshotStore;
  make(): Promise<SandboxFiles>;
  close(): Promise<void>;
}

/** The services over one kind of records and one kind of sandboxes. */
export class ComposedDriver implements CheckpointDriver {
  readonly name: string;
  readonly #records: Records;
  readonly #sandboxes: Sandboxes;
  readonly #plans = new InMemoryPlanStateGuard();

  constructor(name: string, records: Records, sandboxes: Sandboxes) {
    this.name = name;
    this.#records = records;
    this.#sandboxes = sandboxes;
    this.service = this.#newService();
  }

  service: CheckpointService;

  get corrections(): CorrectionService {
    return new CorrectionService({ checkpoints: this.service, corrections: this.audit });
  }

  get audit(): CorrectionLog {
    return this.#records.audit;
  }

  get repository(): CheckpointRepository {
    return this.#records.repository;
  }

  makeSandbox(): Promise<SandboxFiles> {
    return this.#sandboxes.make();
  }

  async captureState({ root }: SandboxFiles): Promise<string> {
    return (await this.#sandboxes.snapshots.capture(root)).ref;
  }

  ownerSays(planId: string, state: { isApplied: boolean; sandboxPath: string | null }): void {
    this.#plans.set(planId, state);
  }

  async addEntryWithoutCheckpoint(planId: string): Promise<void> {
    await this.#records.addEntryWithoutCheckpoint(planId);
    this.service = this.#newService();
  }

  async loseEntries(planId: string): Promise<void> {
    await this.#records.loseEntries(planId);
    this.service = this.#newService();
  }

  async close(): Promise<void> {
    await this.#records.close();
    await this.#sandboxes.close();
  }

  #newService(): CheckpointService {
    const { repository } = this.#records;
    return new CheckpointService({
      repository,
      snapshots: this.#sandboxes.snapshots,
      plans: this.#plans,
    });
  }
}
