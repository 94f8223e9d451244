import {
  type Diagnosis,
  diagnose,
  type Finding,
  inOrder,
  type RepairStep,
  type Resource,
  sandboxesInUse,
} from '@cleveragents/sandbox-domain';
import type { HealthCheck, PlanRepository, SandboxFactory } from '@cleveragents/sandbox-ports';
import { type Clock, isCodedError } from '@cleveragents/shared-kernel';
import { PlanRecords } from './plan-records.ts';
import { PlanRepairs } from './plan-repairs.ts';
import { PlanSandboxes } from './plan-sandboxes.ts';

export interface DoctorParts {
  readonly plans: PlanRepository;
  /** One for each strategy. */
  readonly sandboxes: readonly SandboxFactory[];
  readonly clock: Clock;
  /** Of other contexts. */
  readonly checks?: readonly HealthCheck[] | undefined;
}

/** What became of the repair of one finding. */
export interface RepairOutcome {
  readonly finding: Finding;
  /** `failed`: nothing was changed, or the finding is still there. */
  readonly outcome: 'repaired' | 'failed';
  /** One sentence for people; of a failure also the way out. */
  readonly detail: string;
}

/** What was done, and what is left. */
export interface DoctorReport extends Diagnosis {
  readonly repairs: readonly RepairOutcome[];
}

/** A repair may bring to light what it hid; these are never more than a few layers. */
const MAX_ROUNDS = 5;

/** Finds what crashes, cleaners and agents left in a project, says what it means, and repairs what is safe. */
export class DoctorService {
  readonly #plans: PlanRepository;
  readonly #sandboxes: PlanSandboxes;
  readonly #repairs: PlanRepairs;
  readonly #clock: Clock;
  readonly #checks: readonly HealthCheck[];

  constructor({ plans, sandboxes, clock, checks = [] }: DoctorParts) {
    this.#plans = plans;
    this.#clock = clock;
    this.#checks = checks;
    this.#sandboxes = new PlanSandboxes(sandboxes);
    this.#repairs = new PlanRepairs(plans, new PlanRecords(plans, clock), this.#sandboxes);
  }

  /** Reads only. */
  async examine(resource: Resource): Promise<Diagnosis> {
    const { diagnosis } = await this.#examine(resource);
    return diagnosis;
  }

  /**
   * Repairs everything that is safe to repair, then looks again. A repair that is refused stops no other. Again: no effect.
   */
  async repair(resource: Resource): Promise<DoctorReport> {
    const tried = new Set<string>();
    const repairs: RepairOutcome[] = [];
    for (let round = 1; ; round++) {
      const { diagnosis, checkOf } = await this.#examine(resource);
      const next = diagnosis.findings.filter(
        (finding) => finding.repair.by === 'doctor' && !tried.has(nameOf(finding)),
      );
      if (next.length === 0 || round > MAX_ROUNDS)
        return { ...diagnosis, repairs: repairs.map((repair) => judged(repair, diagnosis)) };
      const recoveries = new Map<string, Promise<RepairOutcome>>();
      for (const finding of recoveriesFirst(next)) {
        tried.add(nameOf(finding));
        repairs.push(await this.#repairOnce(resource, finding, checkOf.get(finding), recoveries));
      }
    }
  }

  async #examine(resource: Resource): Promise<{
    readonly diagnosis: Diagnosis;
    readonly checkOf: ReadonlyMap<Finding, HealthCheck>;
  }> {
    const [{ plans, unreadable }, planLocks] = await Promise.all([
      this.#plans.list(),
      this.#plans.listLocks(),
    ]);
    const factory = this.#sandboxes.factoryFor(resource);
    const sandboxes = await factory.inspect(resource.path, sandboxesInUse(plans));
    const { findings, kept } = diagnose({ now: this.#clock.now(), plans, unreadable, planLocks, sandboxes });
    const checkOf = new Map<Finding, HealthCheck>();
    for (const check of this.#checks)
      for (const finding of await check.examine()) checkOf.set(finding, check);
    return { diagnosis: { findings: inOrder([...findings, ...checkOf.keys()]), kept }, checkOf };
  }

  /** One recovery sets right everything that one can: all its findings get its outcome. */
  async #repairOnce(
    resource: Resource,
    finding: Finding,
    check: HealthCheck | undefined,
    recoveries: Map<string, Promise<RepairOutcome>>,
  ): Promise<RepairOutcome> {
    const step = stepOf(finding);
    if (step?.step !== 'recover') return this.#attempt(resource, finding, check);
    const recovery = recoveries.get('recover') ?? this.#attempt(resource, finding, check);
    recoveries.set('recover', recovery);
    return { ...(await recovery), finding };
  }

  async #attempt(
    resource: Resource,
    finding: Finding,
    check: HealthCheck | undefined,
  ): Promise<RepairOutcome> {
    const step = stepOf(finding);
    try {
      const detail =
        check === undefined && step !== null
          ? await this.#repairs.run(resource, step)
          : ((await check?.repair(finding)) ?? '');
      return { finding, outcome: 'repaired', detail };
    } catch (error) {
      if (!isCodedError(error)) throw error;
      const hint = error.hint === undefined ? '' : ` ${error.hint}`;
      return { finding, outcome: 'failed', detail: `${error.message}${hint}` };
    }
  }
}

function stepOf({ repair }: Finding): RepairStep | null {
  return repair.by === 'doctor' ? repair.step : null;
}

/** What is half-done blocks everything else. */
function recoveriesFirst(findings: readonly Finding[]): readonly Finding[] {
  const isRecovery = (finding: Finding): boolean => stepOf(finding)?.step === 'recover';
  return [...findings.filter(isRecovery), ...findings.filter((finding) => !isRecovery(finding))];
}

function nameOf(finding: Finding): string {
  return JSON.stringify([finding.kind, finding.subject, stepOf(finding)?.step]);
}

/** What is still found was not repaired, whatever the repair said. */
function judged(repair: RepairOutcome, { findings }: Diagnosis): RepairOutcome {
  const isLeft = findings.some((finding) => nameOf(finding) === nameOf(repair.finding));
  return isLeft && repair.outcome === 'repaired'
    ? { ...repair, outcome: 'failed', detail: `${repair.detail} It is still so.` }
    : repair;
}
