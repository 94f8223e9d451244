import type { IndexStat } from '@cleveragents/git-domain';
import {
  clearDirectories,
  type ExchangePlan,
  makeClearedDirectories,
  makeDirectories,
  removeEmptiedDirectories,
  removeMadeDirectories,
} from './exchange-plan.ts';
import { type ExchangeFolders, FileExchange, type FileStep } from './file-exchange.ts';
import type { ObjectDatabase } from './object-database.ts';
import type { Pace } from './pace.ts';

/** Carries out a plan, or takes it back: both also after a crash in the middle of it. */
export class ExchangeRun {
  readonly #workTree: string;
  readonly #plan: ExchangePlan;
  readonly #files: FileExchange;
  readonly #linkTargets = new Map<number, Buffer>();
  /** Steps that were begun in this process; null: another process ran, any may have been. */
  #begun: FileStep[] | null = null;

  constructor(run: ExchangeFolders & { readonly plan: ExchangePlan }) {
    this.#workTree = run.workTree;
    this.#plan = run.plan;
    this.#files = new FileExchange(run);
  }

  /** Lays ready all that will come. Touches nothing of the work tree. */
  async prepare(objects: Pick<ObjectDatabase, 'readBlobSync'>, pace: Pace): Promise<void> {
    this.#begun = [];
    pace.begin('apply', this.#plan.steps.length);
    for (const step of this.#plan.steps) {
      if (pace.step()) await pace.breathe();
      if (step.put === null) continue;
      const bytes = objects.readBlobSync(step.put.id);
      if (step.put.mode === '120000') this.#linkTargets.set(step.number, bytes);
      else this.#files.prepare(step, bytes);
    }
    pace.deadline.check();
  }

  /** @throws GitError `GIT_TARGET_CHANGED`; then `revert` is to be called. */
  exchange(): void {
    const { steps } = this.#plan;
    for (const step of steps) if (step.put === null) this.#begin(step);
    clearDirectories(this.#workTree, this.#plan);
    makeDirectories(this.#workTree, this.#plan);
    for (const step of steps) if (step.put !== null) this.#begin(step);
  }

  #begin(step: FileStep): void {
    this.#files.take(step);
    // a file that came into the way of one that takes nothing is not ours to withdraw
    if (step.take !== null) this.#begun?.push(step);
    this.#files.put(step, this.#linkTargets.get(step.number) ?? null);
    if (step.take === null) this.#begun?.push(step);
  }

  /** What an index keeps of the files that came, by path; those that somebody changed already are left out. */
  settle(): ReadonlyMap<string, IndexStat> {
    const stats = new Map<string, IndexStat>();
    for (const step of this.#plan.steps) {
      const stat = this.#files.settle(step);
      if (stat !== null) stats.set(step.path, stat);
    }
    return stats;
  }

  findLateWrites(): readonly string[] {
    return this.#files.findLateWrites(this.#plan.steps);
  }

  /** Gives the paths where somebody else's file is now, which stays. */
  revert(): readonly string[] {
    const steps = [...(this.#begun ?? this.#plan.steps)].reverse();
    const occupied = steps.filter((step) => !this.#files.withdraw(step));
    removeMadeDirectories(this.#workTree, this.#plan);
    makeClearedDirectories(this.#workTree, this.#plan);
    const notBack = steps.filter((step) => !this.#files.giveBack(step));
    return [...new Set([...occupied, ...notBack])].map(({ path }) => path);
  }

  /** Gives the paths where files lie that were written to while they were replaced. */
  finish(): readonly string[] {
    const saved = this.#plan.steps.map((step) => this.#files.drop(step));
    removeEmptiedDirectories(this.#workTree, this.#plan);
    return saved.filter((path) => path !== null);
  }
}
